"""What of a configuration counts, and how two are told apart."""

from __future__ import annotations

from pathlib import Path

from oodexp.tracker.settings import differences, digest, leaves, plain, settings

CONFIG = {"division": {"threshold": 0.05}, "vlm": [{"name": "a"}, {"name": "b"}], "seed": 0}


def test_the_hash_is_that_of_the_settings_whatever_their_order():
    assert digest(CONFIG) == digest(dict(reversed(CONFIG.items())))
    assert digest(CONFIG) != digest({**CONFIG, "seed": 1})


def test_the_hash_ignores_where_things_are_kept():
    assert digest({**CONFIG, "paths": {"runs": "x"}, "tracker": {"uri": "y"}}) == digest(CONFIG)
    assert digest({**CONFIG, "path": "x"}) != digest(CONFIG)


def test_a_difference_is_named_by_its_dotted_key():
    asked = {**CONFIG, "division": {"threshold": 0.01}, "vlm": [{"name": "a"}, {"name": "c"}]}
    assert differences(CONFIG, asked) == [
        "division.threshold: 0.05 (stored) against 0.01 (asked)",
        'vlm.1.name: "b" (stored) against "c" (asked)',
    ]


def test_a_key_of_one_side_only_is_named():
    assert differences({"a": 1}, {"b": None}) == [
        "a: 1 (stored) against absent (asked)",
        "b: absent (stored) against null (asked)",
    ]


def test_equal_settings_have_no_differences_and_one_hash():
    # Independent of the hash, which sees the text as a whole.
    for other in (CONFIG, {**CONFIG, "paths": {}}, dict(reversed(CONFIG.items()))):
        assert differences(CONFIG, other) == []
        assert digest(other) == digest(CONFIG)


def test_settings_with_different_hashes_have_a_difference():
    for other in ({**CONFIG, "seed": 0.0}, {**CONFIG, "seed": "0"}, {**CONFIG, "x": {}}):
        assert digest(other) != digest(CONFIG)
        assert len(differences(CONFIG, other)) == 1


def test_two_long_texts_are_shown_where_they_part():
    start = "x" * 500
    (line,) = differences({"prompt": start + "old"}, {"prompt": start + "new"})
    assert 'old" (stored)' in line
    assert 'new" (asked)' in line
    assert len(line) < 250


def test_leaves_are_values_by_dotted_name():
    config = {"a": {"b": 1, "c": {}}, "d": [1, 2], "e": [{"f": [3]}, 4], "g": []}
    expected = {"a.b": 1, "a.c": {}, "d": [1, 2], "e.0.f": [3], "e.1": 4, "g": []}
    assert leaves(config) == expected


def test_plain_keeps_json_values_only_and_no_passwords():
    config = {"p": Path("a/b"), "t": (1, 2), "u": "http://me:pw@host:80/x", "v": "http://host:80"}
    assert plain(config) == {
        "p": "a/b",
        "t": [1, 2],
        "u": "http://me:***@host:80/x",
        "v": "http://host:80",
    }
    assert settings({"paths": 1, "x": 2}) == {"x": 2}
