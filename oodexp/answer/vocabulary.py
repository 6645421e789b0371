"""Classes of English words that decide what a sentence says about a category.

>>> sorted(word_set("b a b"))
['a', 'b']
>>> "with" in RELATIONS, NEGATORS.isdisjoint(VERBS)
(True, True)
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Make a set of the words in a text, split at blanks."""
    return frozenset(words.split())


DETERMINERS = word_set("a an the any some one two three several many multiple this that")
COPULAS = word_set("is are was were")
COPULA_SUBJECTS = word_set("there it this that these those here they")
"""What makes "is a ..." speak of the picture: "there is a dog", "this is a dog"."""

VERBS = word_set(
    "contain contains containing show shows depict depicts include includes feature features "
    "has have display displays see saw spot notice observe find found detect detected"
)
"""What a picture does with a thing that is in it, or an observer with a thing that he sees.

"Identify" and "recognise" are left out: "I cannot identify the person" is a refusal.
"""

NEGATORS = word_set("not never unable fail fails failed hardly")
NONE_OF = word_set("no without lacks lacking neither nor zero absence devoid")
LIKENESS = word_set("resembling resembles resemble like similar")
JOINERS = word_set(", and or &")
RELATIONS = word_set("with near on in beside behind by at under holding above next")
"""Links to a second thing: "a man with a dog" says that there is a dog if there is the man, but
"no man with a dog" does not say that there is none."""

TRANSPARENT_OF = word_set(
    "sign signs evidence trace traces presence absence devoid group number pair couple lot kind "
    "type sort herd flock bunch"
)
"""Words whose "of" leads on to the thing itself, as in "a group of dogs"."""

CLAUSE_STARTS = word_set("but that because while where so : ; ( )")
STOPS = CLAUSE_STARTS | word_set(
    "for from to than as about who whose which what when whether if i we you he she they it "
    "other more longer fewer less called named word identify recognize recognise describe name"
)
PRESENCE = word_set(
    "visible present seen shown there here in on at near behind beside under depicted featured "
    "located pictured included found parked detected"
)
DENIABLE = PRESENCE - word_set("in on at near behind beside under parked located")
"""What, denied, makes a thing absent: "is not visible", but not "is not on the sofa"."""

GONE = word_set("absent missing nowhere lacking")
SCENES = word_set("image picture photo photograph frame scene view shot")

GENERIC_NOUNS = word_set(
    "objects items instances things individuals ones examples pieces units total times this "
    "across always perhaps less clearly"
)
"""Words in -s after a number that do not say that something else was counted."""

PLURAL_NOUNS = word_set("people men women children mice geese sheep fish deer feet teeth")
NUMBER_FOLLOWERS = word_set(
    "in on at of and or but to from is are was were has have with by for the a an that which who "
    "here there near visible seen present total altogether overall it i we so as then if not no "
    "can exactly only maybe perhaps possibly"
)
"""Words that end the noun phrase which a number began."""

WORN_IN_PAIRS = word_set(
    "scissors glasses sunglasses eyeglasses pants trousers jeans shorts pliers tweezers binoculars"
)
"""Things of which a pair is one."""
