"""Tables and figures of others, measured with this program: Łańcucki, Sharma, Kirci, and Soemers et al."""
