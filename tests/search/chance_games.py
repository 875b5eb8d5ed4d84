"""Games with the role `random`, which rolls dice."""

RACE = """
(role white) (role random) (role black)
(init (at white 0)) (init (at black 0)) (init (control white)) (init rolling)
(roll 1) (roll 2) (roll 3)
(plus 0 1 1) (plus 0 2 2) (plus 0 3 3) (plus 1 1 2) (plus 1 2 3) (plus 1 3 4) (plus 2 1 3) (plus 2 2 4) (plus 2 3 5)
(plus 3 1 4) (plus 3 2 5) (plus 3 3 5) (plus 4 1 5) (plus 4 2 5) (plus 4 3 5)
(other white black) (other black white)
(<= (legal random (throw ?d)) (true rolling) (roll ?d))
(<= (legal random noop) (not (true rolling)))
(<= (legal ?r noop) (other ?r ?q) (true rolling))
(<= (legal ?r noop) (other ?r ?q) (true (control ?q)))
(<= (legal ?r go) (true (control ?r)) (not (true rolling)))
(<= (legal ?r push) (true (control ?r)) (not (true rolling)))
(<= (next rolling) (not (true rolling)))
(<= (next (die ?d)) (does random (throw ?d)))
(<= (next (control ?r)) (true (control ?r)) (true rolling))
(<= (next (control ?r)) (true (control ?q)) (not (true rolling)) (other ?q ?r))
(<= (next (at ?r ?y)) (does ?r go) (true (die ?d)) (true (at ?r ?x)) (plus ?x ?d ?y))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (not (does ?r go)) (not (pushed ?r)))
(<= (pushed ?q) (does ?r push) (other ?r ?q) (true (die 3)))
(<= (next (at ?q 0)) (pushed ?q))
(<= (next (turns ?y)) (true (turns ?x)) (succ ?x ?y)) (init (turns 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(succ 10 11) (succ 11 12)
(<= home (true (at ?r 5)))
(<= terminal home) (<= terminal (true (turns 12)))
(<= (goal ?r 100) (true (at ?r 5)))
(<= (goal ?r 50) (other ?r ?q) (not home))
(<= (goal ?r 0) (other ?r ?q) (true (at ?q 5)))
"""
"""Two players race to the fifth field; a die says how far, and three lets a player push the other one back."""

# A player bets on a coin that shows heads in one of four cases, and may then leave the table.
BET = """
(role gambler) (role random) (init choosing)
(side north) (side east) (side south) (side west)
(<= (legal gambler bold) (true choosing)) (<= (legal gambler careful) (true choosing))
(<= (legal gambler noop) (not (true choosing)))
(<= (legal random noop) (true choosing)) (<= (legal random (fall ?s)) (side ?s) (not (true choosing)))
(<= (next brave) (does gambler bold)) (<= (next brave) (true brave))
(<= (next wary) (does gambler careful)) (<= (next wary) (true wary))
(<= (next (fell ?s)) (does random (fall ?s)))
(<= fallen (true (fell ?s)))
(<= terminal fallen)
(<= (goal gambler 100) (true brave) (true (fell north)))
(<= (goal gambler 0) (true brave) (not (true (fell north))))
(<= (goal gambler 40) (true wary))
(<= (goal random 0) (true brave) (true (fell north)))
(<= (goal random 100) (true brave) (not (true (fell north))))
"""
"""The careful bet brings 40. The bold one brings 100 in a quarter of all cases, 25 on average, and 0 or 100 at best."""
