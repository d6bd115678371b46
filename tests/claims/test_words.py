"""Sentences of ordinary words: what says another thing than its claim is refused, and what says the same holds.

They stand below ``<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->``.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.claims.test_claims import PREFIX
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text
from perfdocs.claims.model import Outcome, Status
from perfdocs.library import Library, load_library

REFUSED: Mapping[str, tuple[str, ...]] = {
    "stealing faster than simple": (
        "In the majority of configurations work stealing is faster than one thread per sample",
        "For any N up to 10⁶ work stealing is faster than one thread per sample",
        "Throughout, work stealing is faster than one thread per sample",
        "On no device is work stealing faster than one thread per sample",
        "For all N work stealing is faster than one thread per sample",
        "At every N work stealing is faster than one thread per sample",
        "On both devices work stealing is faster than one thread per sample",
        "Work stealing lost to one thread per sample",
        "Work stealing is slow beside one thread per sample, not faster",
        "Work stealing is in no way faster than one thread per sample",
        "Work stealing is by no means faster than one thread per sample",
        "Work stealing was never going to be faster than one thread per sample",
        "Work stealing is rarely faster than one thread per sample",
        "In all configurations work stealing is faster than one thread per sample",
        "Work stealing is faster than one thread per sample in each configuration",
        "Work stealing is faster than one thread per sample in any configuration",
        "Work stealing is faster than one thread per sample, and in both other configurations",
        "In none of the configurations is work stealing faster than one thread per sample",
        "In few configurations is work stealing faster than one thread per sample",
        "On most devices work stealing is faster than one thread per sample",
        "Work stealing is faster than all other arms",
        "Exclusively on spread-1000 work stealing is faster than one thread per sample",
        "Both on toy-gpu and elsewhere work stealing is faster than one thread per sample",
        "In all four configurations work stealing is faster than one thread per sample",
        "In no configuration is work stealing faster than one thread per sample",
        "Work stealing is faster than everything",
        "Only on spread-1000 is work stealing faster than one thread per sample",
        "Work stealing is beaten by one thread per sample",
        "Work stealing loses to one thread per sample",
        "Work stealing fails to be faster than one thread per sample",
        "Work stealing is far from faster than one thread per sample",
        "Work stealing doesn't run faster than one thread per sample",
        "Work stealing is not by any means faster than one thread per sample",
        "Work stealing is neither faster than one thread per sample nor leaner",
        "Nobody would say that work stealing is faster than one thread per sample",
        "Work stealing outperforms one thread per sample by far, twentyfold",
        "Hardly anywhere is work stealing faster than one thread per sample",
        "Below N = 10⁶ work stealing is faster than one thread per sample",
        "Work stealing isn't faster than one thread per sample",
        "Work stealing can't be called faster than one thread per sample",
        "Work stealing never once runs faster than one thread per sample",
        "Work stealing won't ever be faster than one thread per sample",
        "Work stealing is not, in fact, faster than one thread per sample",
        "It is not true that work stealing is faster than one thread per sample",
        "Work stealing is anything but faster than one thread per sample",
        "Work stealing is outpaced by one thread per sample",
        "Work stealing is easily outrun by one thread per sample",
        "No one would call work stealing faster than one thread per sample",
        "Work stealing is hardly ever faster than one thread per sample",
        "Work stealing is usually faster than one thread per sample, in almost all configurations",
        "Work stealing is tenfold faster than one thread per sample",
        "Work stealing is faster than one thread per sample on every device",
        "Work stealing is faster than one thread per sample for all batch sizes",
        "Work stealing is faster than one thread per sample at any size",
        "Work stealing is faster than one thread per sample regardless of the configuration",
        "Work stealing is faster than one thread per sample for N ≥ 10⁶",
        "Work stealing is faster than one thread per sample, here as everywhere else",
    ),
    "every n: stealing faster than simple": (
        "Everywhere but on spread-1000 work stealing is faster than one thread per sample",
    ),
    "at spread-100, every n: stealing ahead of masked": (
        "Work stealing is at no size ahead of masked arrays",
        "In all 3 batch sizes work stealing is ahead of masked arrays",
        "In all five batch sizes work stealing is ahead of masked arrays",
        "Work stealing is ahead of masked arrays in hardly any batch size",
    ),
    "at n=1e4, every config: stealing ahead of masked": (
        "Work stealing is ahead of masked arrays in neither of the spread configurations",
    ),
    "stealing leads gpu": (
        "Work stealing is not quite the fastest",
        "Work stealing leads in every configuration",
        "Work stealing is worst of the GPU arms",
        "Work stealing comes last among the GPU arms",
        "Work stealing has the highest time of the GPU arms",
        "Work stealing is last and fastest of the CPU arms",
        "Work stealing is fastest of the CPU arms",
        "Work stealing is second fastest of the GPU arms",
        "Work stealing is far from fastest",
        "Work stealing is almost the fastest of the GPU arms",
        "Work stealing is the third fastest of the GPU arms",
        "Work stealing is the fastest but one of the GPU arms",
        "Work stealing is never fastest",
    ),
    "max(stealing over n)": (
        "The minimum of work stealing over N is 510 µs",
        "The median of work stealing over N is 510 µs",
        "Work stealing takes at least 510 µs",
    ),
    "stealing": (
        "Work stealing takes ≥ 510 µs",
        "Work stealing takes <510 µs",
        "Work stealing takes less than **510 µs**",
        "Work stealing takes upwards of 510 µs",
        "Work stealing needs in excess of 510 µs",
        "Work stealing takes fewer than 510 µs",
        "Work stealing takes over 510 µs",
        "Work stealing takes less than 510 µs",
        "Work stealing takes at least 510 µs",
        "Work stealing takes at most 510 µs",
        "Work stealing takes under **510 µs**",
        "Work stealing takes more than 510 µs",
        "Work stealing takes 510 µs or more",
        "Work stealing needs 510 µs more memory",
        "The end-to-end time is 510 µs",
        "The end-to-end time of work stealing is 510 µs",
        "End to end, work stealing takes 510 µs",
        "The memory is 510 µs",
        "On the Toy CPU work stealing takes 510 µs",
        "Work stealing takes 0 s",
        "Work stealing does not take 510 µs",
        "Up to N = 10⁶ work stealing takes 510 µs",
        "Below N = 10⁶ work stealing takes 510 µs",
        "For N ≤ 10⁶ work stealing takes 510 µs",
        "From N = 10⁶ on work stealing takes 510 µs",
        "In all configurations work stealing takes 510 µs",
        "For up to 10⁶ samples work stealing takes 510 µs",
        "Work stealing takes no more than 510 µs",
        "Work stealing takes 510 µs at most",
        "Work stealing takes not 510 µs",
        "Work stealing has never taken 510 µs",
        "Work stealing takes well over 510 µs",
        "Work stealing takes just under 510 µs",
        "Work stealing takes 510 µs longer",
        "The bandwidth is 510 µs",
    ),
    "stealing leads stealing; stealing": ("Work stealing is fastest, at 510 µs",),
    "stealing leads stealing and simple": ("Overall, work stealing is the fastest",),
    "stealing = stealing": ("Work stealing takes what it takes",),
    "stealing level with stealing": ("Work stealing is level",),
    "twin leads gpu but stealing": ("The twin leads",),
    "min(stealing, simple)": ("The worst of them takes 510 µs",),
    "twin within ? of min(stealing, simple)": ("Within 3 % of the worst",),
    "stealing faster than simple by ?": ("Work stealing is at least 2.3× faster",),
    "stealing; simple": ("One thread per sample and work stealing take 510 µs and 1.17 ms",),
    "? of ? cell: host ahead of stealing": ("in six of twelve cells",),
    "simple / stealing": (
        "One thread per sample has 2.3 times the speed of work stealing",
        "Work stealing has 2.3 times the time of one thread per sample",
    ),
    "memory(stealing)": ("needed memory: 45.8 MiB",),
    "stealing within ? of twin": ("Work stealing is hardly within 2.3 % of the twin",),
}

HOLDS: Mapping[str, tuple[str, ...]] = {
    "stealing": (
        "Work stealing takes ~510 µs",
        "Work stealing takes ≈ 510 µs",
        "takes 0.51 milliseconds",
        "On all threads work stealing takes 510 µs",
        "Work stealing takes 510 µs in this configuration",
        "Each of its lanes is busy, and most of them end together: 510 µs",
        "It copies to memory, and takes 510 µs",
        "Work stealing does not wait and takes 510 µs",
        "The kernel moves less memory and takes 510 µs",
        "Over all samples, work stealing takes 510 µs",
        "With everything in device memory it is 510 µs",
        "Of the wall time, 510 µs are left",
        "Averaged over all runs, work stealing takes 510 µs",
        "Work stealing, which launches once, takes 510 µs",
        "Its wall time is 510 µs",
        "The wall time of work stealing on the Toy GPU is 510 µs",
        "At N = 10⁶ it takes 510 µs",
        "From N = 10⁶ it takes 510 µs",
        "The launches of one arm overlap: 510 µs",
        "No lane waits: 510 µs",
        "It does nothing else: 510 µs",
        "Here it never waits, and takes 510 µs",
        "It can take 510 µs",
        "Below the table it says 510 µs",
        "To read memory and to write it takes 510 µs",
        "It takes 510 µs, more than we hoped",
        "It takes all of 510 µs",
        "Each sample has its own lane, all of them together take 510 µs",
    ),
    "stealing; simple": (
        "Up from 510 µs to 1.17 ms",
        "Its time is down to 510 µs from 1.17 ms",
        "Work stealing and one thread per sample take 510 µs and 1.17 ms",
        "It takes 510 µs, not 1.17 ms as one thread per sample",
        "In both cases it takes 510 µs and 1.17 ms",
        "Work stealing takes less time, 510 µs against 1.17 ms",
        "510 µs is less than 1.17 ms",
    ),
    "? of ? cell: host ahead of stealing": (
        "in two of twelve cells",
        "In 2 of the 12 cells the Host is ahead",
    ),
    "2 of 12 cell: host ahead of stealing": ("in two of 12 cells",),
    "at spread-100, every n: stealing ahead of masked": (
        "In all 4 batch sizes work stealing is ahead of masked arrays",
        "In all four batch sizes, work stealing is ahead",
    ),
    "at n=1e4, every config: stealing ahead of masked": ("In all three configurations it is ahead",),
    "at n=1e4, every config of spread-100 and spread-1000: stealing ahead of masked": (
        "On both spread configurations it is ahead",
    ),
    "simple / stealing": (
        "Work stealing has 2.3 times the speed of one thread per sample",
        "Work stealing is 2.3 times as fast as one thread per sample",
    ),
    "stealing faster than simple by ?": (
        "In this case work stealing is faster than one thread per sample by 2.30×",
        "Work stealing has 2.3 times the speed of one thread per sample",
        "Work stealing is 2.30× faster than one thread per sample",
        "Work stealing is more than just faster, 2.30×",
        "Work stealing is 2.3 times as fast as one thread per sample",
        "Work stealing is 130 percent faster",
    ),
    "stealing leads gpu": (
        "Nobody is faster than work stealing",
        "Work stealing is beaten by nobody",
        "No arm beats work stealing",
        "Work stealing is unbeaten among the GPU arms",
        "Work stealing is fastest of all the GPU arms",
        "Of all GPU arms, work stealing is the fastest",
        "Work stealing is best",
        "Work stealing comes first",
        "At the largest size work stealing is fastest",
        "Work stealing leads all GPU arms",
        "Work stealing is ahead of every GPU arm",
        "No other GPU arm is faster than work stealing",
        "Nothing beats work stealing",
        "Work stealing has the shortest time of the GPU arms",
        "On devices with much memory work stealing is the fastest",
    ),
    "simple slower than stealing": ("One thread per sample is beaten by work stealing",),
    "stealing faster than simple": (
        "Where lanes are never idle for long, work stealing is faster than one thread per sample",
        "With no more than one launch work stealing is faster than one thread per sample",
        "Idle lanes cost nothing here, and work stealing is faster than one thread per sample",
        "Though it does nothing for short batches, work stealing is faster than one thread per sample",
        "Nothing is lost: work stealing is faster than one thread per sample",
        "Not surprisingly, work stealing is faster than one thread per sample",
        "No surprise: work stealing is faster than one thread per sample",
        "Each time work stealing is faster than one thread per sample",
        "In any case, work stealing is faster than one thread per sample",
        "Most of all, work stealing is faster than one thread per sample",
        "All in all, work stealing is faster than one thread per sample",
        "It's faster than one thread per sample whatever one does",
        "The one that does not sort is faster",
        "Work stealing, which is not sorted, is faster",
        "Not only is work stealing faster",
        "Work stealing has beaten one thread per sample",
        "work stealing is not slower than one thread per sample",
        "Because no lane waits for another, work stealing is faster than one thread per sample",
        "Work stealing, though not simple to write, is faster than one thread per sample",
        "It isn't tuned at all, and still work stealing is faster than one thread per sample",
        "Work stealing is faster than one thread per sample without any tuning",
        "There is no question: work stealing is faster than one thread per sample",
        "With all samples in one queue, work stealing is faster than one thread per sample",
        "When most lanes are idle, work stealing is faster than one thread per sample",
        "Few lanes are busy at any time, and work stealing is faster than one thread per sample",
        "As each block takes the next sample, work stealing is faster than one thread per sample",
        "Here work stealing is faster than one thread per sample, as it is in the table below",
        "Work stealing is no doubt faster than one thread per sample",
        "Work stealing is faster than one thread per sample, and not by a little",
        "Work stealing never waits and is faster than one thread per sample",
        "It would be wrong to call it level: work stealing is faster than one thread per sample",
        "In this configuration work stealing is faster than one thread per sample",
        "For a batch of this size work stealing is faster than one thread per sample",
        "Work stealing beats one thread per sample",
        "Neither waits for the host, and work stealing is faster than one thread per sample",
        "Since both arms launch once, work stealing is faster than one thread per sample on all counts",
        "Only where samples end early is there something to steal: work stealing is faster than one thread per sample",
        "For each of its cases the table has a row: work stealing is faster than one thread per sample",
    ),
    "max(stealing over device)": ("It takes at most 610 µs on all devices",),
    "max(stealing over n)": (
        "The maximum is 510 µs",
        "Up to N = 10⁶ it takes at most 510 µs",
    ),
    "min(stealing over n)": (
        "At the smallest size it takes 20 µs, its minimum",
        "The least of all sizes is 20 µs",
    ),
    "end_to_end(stealing)": (
        "End to end it takes 710 µs",
        "The end-to-end time is 710 µs",
    ),
    "stealing; launches(stealing)": ("In 510 µs, over all 1 launch",),
    "stealing over ?": ("more than 500 µs",),
    "at spread-100, every n below 1e5: stealing slower than simple": ("Below N = 10⁵ it is slower",),
    "at spread-100, from n=?: stealing ahead of simple": ("From N = 10⁵ on it is ahead",),
    "every n but n=1e3: host behind stealing": ("Everywhere but at N = 10³ it is behind",),
    "1 of 4 n: host ahead of stealing": ("Only at N = 10³ is the Host ahead",),
    "stealing leads stealing and simple": ("of the two, work stealing is fastest",),
    "simple; stealing": (
        "From 1.17 ms to 510 µs",
        "1173 µs is more than 510 µs",
    ),
    "stealing faster than min(simple, twin)": ("Work stealing is faster than both the others",),
    "min(stealing, simple)": ("The best of the two takes 510 µs",),
    "twin within ? of min(stealing, simple)": ("within 3 % of the best",),
    "each config: stealing": ("In each configuration its time is another: 110 µs, 510 µs and 1.78 ms",),
    "each n: stealing": ("At all four sizes: 20 µs, 30 µs, 60 µs and 510 µs",),
    "min(stealing over cell)": ("In all cells it takes at least 10 µs",),
    "? of ? cell: stealing ahead of host": ("In most cells, 10 of 12, work stealing is ahead",),
    "at spread-100, no n: masked ahead of stealing": (
        "At no size are masked arrays ahead",
        "In no case are masked arrays ahead",
        "Masked arrays are ahead at none of the sizes",
    ),
    "at spread-100, every n: masked behind stealing": ("Masked arrays are behind at every size, never ahead",),
    "at n=1e4, no config: masked ahead of stealing": ("In not one configuration are masked arrays ahead",),
    "stealing leads gpu then twin": (
        "Work stealing leads, the twin is second",
        "Work stealing is fastest and the twin second fastest",
    ),
    "at n=1e5: masked trails gpu": (
        "Masked arrays come last",
        "Masked arrays are the worst of the GPU arms",
    ),
    "memory(stealing)": (
        "It reads 45.8 MiB of memory",
        "Memory: 45.8 MiB",
        "needs 45.8 MiB of memory",
        "The memory of work stealing is 45.8 MiB",
    ),
    "memory(stealing) - needed(stealing)": ("needs 7.63 MiB more memory than needed",),
    "twin within ? of stealing": (
        "at most 2.3 % more",
        "within 2.3 %",
        "a 2.3 % difference",
    ),
    "bandwidth(stealing)": ("The bandwidth is 78.4 GB/s",),
    "every config of spread-1000: stealing faster than simple": (
        "Without a queue for every warp work stealing is still faster than one thread per sample",
    ),
    "min(simple / stealing over n); max(simple / stealing over n)": ("a gain of 1.50× at least and 2.30× at most",),
    "at spread-1000: median(simple / stealing over n)": ("The gain on spread-1000 has a median of 1.90×",),
    "launches(stealing)": ("Launches: 1",),
    "bandwidth(stealing) / peak": ("39.2 % of the bandwidth that the peak allows",),
    "launches(stealing); stealing": ("The kernel makes 1 launch and takes 510 µs of wall time",),
}


MORE_REFUSED: Mapping[str, tuple[str, ...]] = {
    "stealing faster than simple": (
        "Work stealing is ten times faster than one thread per sample",
        "Work stealing is a hundred times faster than one thread per sample",
        "Work stealing is several times faster than one thread per sample",
        "Work stealing is dozens of times faster than one thread per sample",
        "Work stealing is an order of magnitude faster than one thread per sample",
        "Work stealing is orders of magnitude faster than one thread per sample",
        "Work stealing is fifty percent faster than one thread per sample",
        "Work stealing is a third faster than one thread per sample",
        "Work stealing takes half the time of one thread per sample",
        "Work stealing doubles the speed of one thread per sample",
        "Work stealing is worse than one thread per sample",
        "Work stealing takes longer than one thread per sample",
        "Work stealing is equal to one thread per sample",
        "Work stealing is on par with one thread per sample",
        "Work stealing is as fast as one thread per sample",
        "Work stealing used to be faster than one thread per sample",
        "Work stealing is usually faster than one thread per sample",
        "Compared to work stealing, one thread per sample is faster",
        "Against work stealing one thread per sample is faster",
        "Unlike work stealing, one thread per sample is faster",
        "Work stealing sees one thread per sample run faster",
        "All GPU arms are slower, work stealing is faster than one thread per sample",
    ),
    "simple slower than stealing": (
        "One thread per sample is better than work stealing",
        "One thread per sample outclasses work stealing",
        "One thread per sample is swifter than work stealing",
        "One thread per sample takes less time than work stealing",
        "One thread per sample needs fewer microseconds than work stealing",
    ),
    "stealing": (
        "Work stealing takes nine milliseconds, not 510 µs",
        "Work stealing takes a third of 510 µs",
        "Work stealing takes twice 510 µs",
        "Work stealing takes a few microseconds, 510 µs",
        "Of all arms, only work stealing takes 510 µs",
        "In the best case it takes 510 µs",
        "It takes 510 µs, the least of what can be",
        "All GPUs take 510 µs",
        "On all hardware it takes 510 µs",
        "All arms take 510 µs",
    ),
    "stealing faster than simple by ?": (
        "Work stealing is twice as fast, 2.30×",
        "Work stealing is four times faster",
        "Work stealing is 130 % points faster than one thread per sample",
    ),
    "stealing faster than simple by over ?": ("It is 2× faster",),
    "stealing faster than simple by under ?": ("It is 10× faster",),
    "stealing faster than simple by about ?": ("It is exactly 2.20× faster", "It is 2.20× faster"),
    "stealing over ?": ("Work stealing takes 100 µs",),
    "stealing under ?": ("Work stealing takes 9 s",),
    "stealing under 1": ("It takes 1 s",),
    "stealing about ?": ("Work stealing takes exactly 490 µs", "Work stealing takes 490 µs"),
    "at spread-100, every n of 1e5 and 1e6: stealing faster than simple": (
        "Work stealing is faster at every size",
        "Work stealing is always faster",
    ),
    "at spread-100, from n=1e5: stealing faster than simple": ("Work stealing is faster everywhere",),
    "at spread-100, every n but n=1e3 and n=1e4: stealing faster than simple": ("Work stealing is always faster",),
    "at spread-100, every n below 1e5: stealing slower than simple": ("Work stealing is slower at every size",),
    "at spread-1000, every n: stealing faster than simple": ("Work stealing is faster in every cell",),
    "every device of toy-gpu: stealing faster than simple": ("It is faster regardless of the device",),
    "stealing leads gpu": ("Work stealing is always fastest", "Work stealing is fastest everywhere"),
    "? of ? cell: host faster than stealing": (
        "The Host is faster in most cells, 2 of 12",
        "The Host is faster in nearly all cells, 2 of 12",
        "The Host is faster in all cells, 2 of 12",
        "The Host is faster in half of the cells, 2 of 12",
    ),
    "2 of 12 cell: host faster than stealing": ("The Host is faster in many cells", "The Host is faster"),
    "some cell: host faster than stealing": ("The Host is faster", "The Host is mostly faster"),
    "stealing / simple": (
        "Work stealing takes 43.5 % less time than one thread per sample",
        "Work stealing saves 43.5 % of the time",
        "Work stealing cuts the time by 43.5 %",
        "Work stealing reaches 43.5 % of peak",
    ),
    "simple / stealing": (
        "One thread per sample is 2.30× as fast as work stealing",
        "One thread per sample has a speedup of 2.30× over work stealing",
        "Work stealing takes 2.30× the time of the other",
    ),
    "stealing less than simple by ?": ("Work stealing takes 130 % less time than one thread per sample",),
}
MORE_HOLD: Mapping[str, tuple[str, ...]] = {
    "stealing faster than simple by ?": (
        "Work stealing is two times faster than one thread per sample",
        "Work stealing is twice as fast",
        "Work stealing is faster by a factor of two",
    ),
    "stealing faster than simple by over ?": ("More than twice as fast", "It is over 2× faster"),
    "simple / stealing": (
        "Work stealing is twice as fast as one thread per sample",
        "The speedup over one thread per sample is 2.30×",
    ),
    "simple / stealing over ?": ("Work stealing is a little over twice as fast as one thread per sample",),
    "host / stealing over ?": ("The Host takes over ten times the time of work stealing",),
    "1 - stealing / simple": ("Work stealing takes 56.5 % less time than one thread per sample",),
    "stealing / simple": ("Work stealing takes 43.5 % of the time of one thread per sample",),
    "launches(stealing)": ("Work stealing makes one launch",),
    "stealing about ?": ("Work stealing takes roughly 500 µs", "Work stealing takes 490 µs or so"),
    "simple slower than stealing": ("One thread per sample takes longer than work stealing",),
    "stealing faster than simple": (
        "Work stealing is better than one thread per sample",
        "Work stealing takes less time than one thread per sample",
        "Work stealing, beside one thread per sample, is faster",
    ),
    "at spread-100, every n of 1e5 and 1e6: stealing faster than simple": (
        "Work stealing is always faster at N = 10⁵ and 10⁶",
    ),
    "at spread-100, every n below 1e5: stealing slower than simple": (
        "Work stealing is slower at every size below N = 10⁵",
    ),
    "every config, every n: simple over 1e-6": ("One thread per sample takes over 1 µs in every cell",),
    "2 of 12 cell: host faster than stealing": ("The Host is faster in few cells", "In some cells the Host is faster"),
    "some cell: host faster than stealing": ("The Host is sometimes faster",),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def each(sentences: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(expression, sentence) for expression, said in sentences.items() for sentence in said]


def outcome(sentence: str, expression: str, library: Library) -> Outcome:
    *_, found = check_text(f"{PREFIX}{sentence}<!-- claim: {expression} -->.\n", "page.md", library)
    return found


@pytest.mark.parametrize(("expression", "sentence"), [*each(REFUSED), *each(MORE_REFUSED)])
def test_a_sentence_that_says_another_thing_is_refused(expression: str, sentence: str, library: Library) -> None:
    assert outcome(sentence, expression, library).status in (Status.FAILS, Status.ERROR)


@pytest.mark.parametrize(("expression", "sentence"), [*each(HOLDS), *each(MORE_HOLD)])
def test_a_sentence_that_says_the_same_holds(expression: str, sentence: str, library: Library) -> None:
    found = outcome(sentence, expression, library)
    assert found.status is Status.HOLDS, str(found)


def test_the_label_of_a_value_is_a_common_word_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = write_toy(tmp_path_factory.mktemp("benchmarks"))
    definition = root / "toy" / "benchmark.toml"
    written = definition.read_text(encoding="utf-8")
    definition.write_text(written.replace('"uniform batch"', '"uniform"'), encoding="utf-8")
    known = load_library(root)

    def passes(text: str) -> bool:
        return all(o.passes for o in check_text(f"{PREFIX}{text}<!-- claim: stealing -->\n", "page.md", known))

    assert passes("A uniform picture: it takes 510 µs")
    assert passes("It takes a uniform 510 µs")
    assert passes("With so uniform samples it takes 510 µs")
    assert not passes("On uniform it takes 510 µs")
    assert not passes("With a uniform configuration it takes 510 µs")
    assert not passes("On the `uniform` one it takes 510 µs")
