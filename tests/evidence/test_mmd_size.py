"""OODBench, appendix C.1.4: how often the tests on MMD^2 reject at 5 % when they should not.

Images hold 1 to 6 pairs, all with the features of the image, each of another category. Features
are normal, so MMD^2 is known: with c = (sigma^2 / (sigma^2 + 2))^(d/2), category shares p and q and
a shift s of the features it is c * (sum p^2 + sum q^2 - 2 exp(-s^2 / (2 (sigma^2 + 2))) sum p q).

Deviation from the paper: the bound is not a bootstrap of MMD^2, whose upper percentile never lies
below xi (asserted here), and images are permuted beside pairs. Measured at nominal 5 %, 100 + 100
images: bound, least favourable direction 5-6 %; another direction 0 %; permuted images 4.5 %;
permuted pairs 0 % with one kind of scene, 11.5 % with eight. Two other bounds were tried and left:
a normal one with the estimated variance rejects in up to 13 %, and multiplier draws along the
estimated direction in up to 11 %.
"""

import sys

import numpy as np
import pytest

from oodexp.evidence.equivalence_mmd import threshold
from oodexp.evidence.kernel import Bandwidth, Compute
from oodexp.evidence.mmd import Sample, forms, pool
from oodexp.evidence.mmd_bound import multiplier_draws, upper_bound
from oodexp.evidence.two_sample import permutation_test

pytestmark = pytest.mark.slow

IMAGES, CATEGORIES, WIDTH = 100, 12, 8
SIGMA = 4.0
BANDWIDTH = Bandwidth(SIGMA, "given", 0, None)


def drawn(images, tag, rng, indoors=0.5, shift=0.0):
    """Scenes are indoors or outdoors; each kind has its own half of the categories."""
    return scenes(images, tag, rng, (indoors, 1 - indoors), CATEGORIES, shift)


def scenes(images, tag, rng, shares, categories, shift=0.0):
    """Images of scenes in given shares; each scene has as many categories of its own."""
    own = categories // len(shares)
    sizes = rng.integers(1, 7, images)
    image = np.repeat(np.arange(images), sizes)
    scene = rng.choice(len(shares), images, p=shares)
    category = [rng.permutation(own)[:n] + own * at for n, at in zip(sizes, scene, strict=True)]
    features = rng.standard_normal((images, WIDTH)) + shift * np.eye(WIDTH)[0]
    return Sample(features[image], np.concatenate(category), np.char.add(tag, image.astype(str)))


def true_mmd2(indoors=0.5, shift=0.0):
    scale = (SIGMA**2 / (SIGMA**2 + 2)) ** (WIDTH / 2)
    p = np.full(CATEGORIES, 1 / CATEGORIES)
    q = np.repeat([indoors, 1 - indoors], CATEGORIES // 2) / (CATEGORIES // 2)
    near = np.exp(-(shift**2) / (2 * (SIGMA**2 + 2)))
    return scale * (p @ p + q @ q - 2 * near * (p @ q))


def at_boundary(xi, name, most):
    """The value of a setting of `drawn` at which MMD^2 is xi."""
    low, high = {"indoors": 0.5, "shift": 0.0}[name], most
    assert true_mmd2(**{name: high}) > xi
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if true_mmd2(**{name: middle}) < xi else (low, middle)
    return {name: low}


def told(what, **shares):
    """Shows measured sizes with `pytest -s`."""
    sys.stdout.write(f"{what}: {shares}\n")


def margins(rng, splits=30):
    """Margins of as many training sides, from halves as large as the compared samples."""
    return np.array(
        [
            threshold(drawn(2 * IMAGES, "t", rng), BANDWIDTH, None, 200, rng).value
            for _ in range(splits)
        ]
    )


def estimates(rng, number, setting, draws=399):
    """Multiplier draws of pairs of samples."""
    for _ in range(number):
        pooled = pool(drawn(IMAGES, "t", rng), drawn(IMAGES, "v", rng, **setting))
        yield pooled, multiplier_draws(pooled, BANDWIDTH, draws, rng)


def test_the_estimate_without_couples_of_one_image_is_unbiased():
    rng = np.random.default_rng(7)
    for setting in ({"indoors": 0.7}, {"shift": 1.5}, {}):
        values = np.array([noise.value for _, noise in estimates(rng, 600, setting, 2)])
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - true_mmd2(**setting)) < 4 * error


def test_the_bound_has_its_size_where_the_difference_is_least_favourable():
    rng = np.random.default_rng(1)
    xi = margins(rng)
    setting = at_boundary(xi.mean(), "indoors", 1.0)
    fixed = estimated = 0
    for _ in range(1000):
        train = drawn(2 * IMAGES, "t", rng)
        own = threshold(train, BANDWIDTH, None, 100, rng).value
        some = np.isin(train.images, np.unique(train.images)[:IMAGES])
        compared = Sample(*(part[some] for part in train))
        pooled = pool(compared, drawn(IMAGES, "v", rng, **setting))
        noise = multiplier_draws(pooled, BANDWIDTH, 399, rng)
        fixed += bool(upper_bound(noise, xi.mean()).equivalent)
        estimated += bool(upper_bound(noise, own).equivalent)
    told("bound, least favourable", fixed=fixed / 1000, estimated=estimated / 1000)
    assert 0.035 <= fixed / 1000 <= 0.065
    assert 0.035 <= estimated / 1000 <= 0.065


def test_the_bound_rejects_less_in_another_direction_and_the_bootstrap_never():
    rng = np.random.default_rng(2)
    xi = margins(rng).mean()
    setting = at_boundary(xi, "shift", 5.0)
    ours = bootstrap = 0
    for pooled, noise in estimates(rng, 300, setting):
        ours += bool(upper_bound(noise, xi).equivalent)
        bootstrap += np.percentile(bootstrapped(pooled, rng), 95) < xi
    told("bound, another direction", ours=ours / 300, bootstrap=bootstrap / 300)
    assert ours / 300 <= 0.05
    assert bootstrap == 0


def bootstrapped(pooled, rng, resamples=200):
    """Biased MMD^2 of images drawn again, the interval that a user would write first."""
    counts = np.zeros((pooled.images.max() + 1, resamples))
    for side in (pooled.first, ~pooled.first):
        own = np.unique(pooled.images[side])
        counts[own] = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), resamples).T
    weights = counts[pooled.images]
    first, second = weights * pooled.first[:, None], weights * ~pooled.first[:, None]
    columns = first / first.sum(axis=0) - second / second.sum(axis=0)
    return forms(pooled, SIGMA, columns, np.zeros((len(columns), 0)), Compute()).quadratic


def rejections(rng, number, shares, categories):
    """Shares of samples of one law that are told apart, by images and by pairs."""
    rejected = np.zeros(2)
    for _ in range(number):
        sides = [scenes(IMAGES, tag, rng, shares, categories) for tag in ("t", "v")]
        rejected += [
            permutation_test(pool(*sides), BANDWIDTH, 199, rng, by_image).p <= 0.05
            for by_image in (True, False)
        ]
    return rejected / number


@pytest.mark.parametrize(
    ("scenes_of", "categories", "least", "most"), [(1, 6, 0.0, 0.01), (8, 48, 0.07, 0.2)]
)
def test_permuted_images_have_their_size_and_pairs_have_another(scenes_of, categories, least, most):
    # Pairs of one image never share a category, which makes the textbook estimate smaller; that
    # they share their features and scene makes it vary more. Which of the two wins is the data's.
    shares = np.full(scenes_of, 1 / scenes_of)
    images, pairs = rejections(np.random.default_rng(3), 1500, shares, categories)
    told(f"permutation, {scenes_of} scenes", images=images, pairs=pairs)
    assert 0.035 <= images <= 0.065
    assert least <= pairs <= most
