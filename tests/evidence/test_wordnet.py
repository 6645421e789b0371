"""OODBench, appendix C.1.2: synonyms from WordNet as an option; the paper does not say.

The dictionary is made here in the form that wndb(5WN) describes, with right byte offsets.
"""

from __future__ import annotations

import pytest

from oodexp.error import OodexpError
from oodexp.evidence.wordnet import lemmas, synset

LICENCE = "  1 This is no entry.  \n  2 dog is no entry here, either.  \n"
# Name: words, hyponyms.
SYNSETS = {
    "dog": (["dog", "domestic_dog", "Canis_familiaris"], ["~poodle", "~i:Rex", "@animal"]),
    "poodle": (["poodle", "poodle_dog"], ["~toy"]),
    "toy": (["toy_poodle"], []),
    "Rex": (["Rex"], []),
    "frank": (["frank", "dog", "hot_dog"], []),
    "animal": (["animal"], ["~dog"]),
}
SENSES = {"dog": ["dog", "frank"], "hot_dog": ["frank"], "animal": ["animal"]}


@pytest.fixture
def folder(tmp_path):
    def lines(at):
        text = LICENCE
        found = {}
        for name, (words, pointers) in SYNSETS.items():
            found[name] = len(text.encode())
            told = " ".join(f"{word} 0" for word in words)
            links = ""
            for pointer in pointers:
                kind, target = ("~i", pointer[3:]) if ":" in pointer else (pointer[0], pointer[1:])
                links += f" {kind} {at.get(target, 0):08d} n 0000"
            head = f"{found[name]:08d} 05 n {len(words):02x} {told}"
            text += f"{head} {len(pointers):03d}{links} | about ~ 00000000 n 0000  \n"
        return text, found

    _, at = lines({})
    text, _ = lines(at)
    (tmp_path / "data.noun").write_text(text)
    index = LICENCE
    for lemma, senses in SENSES.items():
        offsets = " ".join(f"{at[s]:08d}" for s in senses)
        index += f"{lemma} n {len(senses)} 2 @ ~ {len(senses)} 1 {offsets}  \n"
    (tmp_path / "index.noun").write_text(index)
    return str(tmp_path)


def test_the_words_of_the_first_sense_are_synonyms(folder):
    assert lemmas(folder, ["dog"]) == {"dog": ("dog", "domestic dog", "Canis familiaris")}


def test_further_senses_come_after_the_first(folder):
    assert lemmas(folder, ["dog"], senses=2)["dog"][3:] == ("frank", "hot dog")


def test_a_name_of_several_words_and_any_case_is_found(folder):
    assert lemmas(folder, ["Hot Dog"])["Hot Dog"] == ("frank", "dog", "hot dog")


def test_narrower_synsets_are_taken_to_the_depth_asked_for_and_once(folder):
    one = set(lemmas(folder, ["dog"], depth=1)["dog"])
    assert one >= {"poodle", "poodle dog", "Rex"}
    assert "toy poodle" not in one
    assert "animal" not in one
    assert "toy poodle" in lemmas(folder, ["dog"], depth=9)["dog"]


def test_a_name_that_wordnet_does_not_list_has_no_words(folder):
    assert lemmas(folder, ["2", "parking meter"]) == {"2": (), "parking meter": ()}


def test_a_folder_without_the_files_is_named(tmp_path):
    with pytest.raises(OodexpError, match=r"index\.noun"):
        lemmas(str(tmp_path), ["dog"])


@pytest.mark.parametrize("numbers", [{"senses": 0}, {"depth": -1}])
def test_numbers_out_of_range_are_refused(folder, numbers):
    with pytest.raises(OodexpError, match="expected >= 1 and >= 0"):
        lemmas(folder, ["dog"], **numbers)


@pytest.mark.parametrize("line", ["", "00001740 03 n 02 a", "no synset at all here"])
def test_a_line_that_is_no_synset_is_shown(line):
    with pytest.raises(OodexpError, match="same release"):
        synset(line)


def test_an_index_of_another_form_is_named(tmp_path, folder):
    (tmp_path / "index.noun").write_text("dog n two\n")
    with pytest.raises(OodexpError, match="line 1: no index entry"):
        lemmas(folder, ["dog"])
