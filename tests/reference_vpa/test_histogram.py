"""Histograms as upstream's own tests show them (pkg/recommender/util)."""

from __future__ import annotations

import pytest

from lockstep.wire.gotime import ZERO_TIME
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.util.checkpoint import CheckpointError, HistogramCheckpoint
from lockstep_reference.vpa.recommender.util.decaying_histogram import DecayingHistogram
from lockstep_reference.vpa.recommender.util.histogram import Histogram
from lockstep_reference.vpa.recommender.util.histogram_options import (
    ExponentialHistogramOptions,
    LinearHistogramOptions,
)
from lockstep_reference.vpa.recommender.util.times import round_time, truncate_duration

HOUR = 3600 * 10**9
LINEAR = LinearHistogramOptions(100.0, 1.0, 0.001)


def linear(*values: float) -> Histogram:
    histogram = Histogram(LinearHistogramOptions(10.0, 1.0, 0.001))
    for value in values:
        histogram.add_sample(value, 1.0, 0)
    return histogram


def test_buckets_of_one_size() -> None:
    options = LinearHistogramOptions(5.0, 0.3, 0.001)
    assert options.num_buckets == 18
    assert [options.find_bucket(value) for value in (-1.0, 0.0, 1.3, 100.0)] == [0, 0, 4, 17]
    assert options.get_bucket_start(4) == pytest.approx(1.2)


def test_buckets_that_grow() -> None:
    options = ExponentialHistogramOptions(100.0, 10.0, 2.0, 0.001)
    assert options.num_buckets == 5
    assert [options.get_bucket_start(bucket) for bucket in range(5)] == [0.0, 10.0, 30.0, 70.0, 150.0]
    assert [options.find_bucket(value) for value in (-1.0, 0.0, 9.99, 10.0, 29.99, 30.0, 151.0, 1e9)] == [
        *(0, 0, 0),
        *(1, 1),
        *(2, 4, 4),
    ]


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="must both be positive"):
        LinearHistogramOptions(0, 1, 1)
    with pytest.raises(ValueError, match=r"ratio must be > 1\.0"):
        ExponentialHistogramOptions(1, 1, 1, 1)


def test_the_vpa_s_own_histograms() -> None:
    config = AggregationsConfig()
    assert config.cpu_histogram_options.num_buckets == config.memory_histogram_options.num_buckets == 176


def test_percentiles_are_the_ends_of_buckets() -> None:
    histogram = linear(1, 2, 3, 4)
    assert [histogram.percentile(share) for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)] == [2, 2, 3, 4, 5, 5]


def test_the_last_bucket_has_no_end() -> None:
    histogram = linear(10.0)
    assert [histogram.percentile(share) for share in (0.1, 0.5, 1.0)] == [10.0, 10.0, 10.0]
    assert linear(-0.5).percentile(0.5) == 1.0


def test_an_empty_histogram_has_percentiles_of_zero() -> None:
    histogram = linear()
    assert histogram.is_empty()
    assert histogram.percentile(0.5) == 0.0
    histogram.add_sample(5.0, 0.0009, 0)  # less than epsilon
    assert histogram.is_empty()
    histogram.add_sample(5.0, 0.0009, 0)
    assert histogram.percentile(0.5) == 6.0


def test_subtracting_makes_room_again() -> None:
    histogram = linear(1, 5)
    histogram.subtract_sample(5, 1.0, 0)
    assert histogram.percentile(1.0) == 2.0
    histogram.subtract_sample(1, 5.0, 0)
    assert histogram.is_empty()


def test_histograms_of_other_options_do_not_merge() -> None:
    with pytest.raises(ValueError, match="different options"):
        linear(1).merge(linear(1))
    with pytest.raises(ValueError, match="different half life"):
        DecayingHistogram(LINEAR, HOUR).merge(DecayingHistogram(LINEAR, 2 * HOUR))


def test_a_checkpoint_scales_to_the_heaviest_bucket() -> None:
    histogram = linear(2, 2, 1)
    saved = histogram.save_to_checkpoint()
    assert (saved.bucket_weights, saved.total_weight) == ({1: 5000, 2: 10000}, 3.0)
    loaded = linear()
    loaded._options = histogram._options
    loaded.load_from_checkpoint(saved)
    assert (loaded.total_weight, loaded.percentile(0.5)) == (3.0, 3.0)
    assert loaded.bucket_weight[:4] == [0.0, 1.0, 2.0, 0.0]


def test_a_checkpoint_drops_what_is_next_to_nothing() -> None:
    histogram = linear(2)
    histogram.add_sample(1, 0.00001, 0)
    assert histogram.save_to_checkpoint().bucket_weights == {2: 10000}
    assert linear().save_to_checkpoint() == HistogramCheckpoint({}, 0.0, ZERO_TIME)


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        (HistogramCheckpoint({0: 1}, -1.5, 0), "cannot load checkpoint with negative weight -1.5"),
        (HistogramCheckpoint({-1: 1}, 1.0, 0), "checkpoint has a negative bucket -1"),
        (HistogramCheckpoint({11: 1}, 1.0, 0), "checkpoint has bucket 11 that is exceeding histogram buckets 11"),
    ],
)
def test_checkpoints_that_cannot_be_loaded(checkpoint: HistogramCheckpoint, message: str) -> None:
    histogram = linear()
    with pytest.raises(CheckpointError, match=message):
        histogram.load_from_checkpoint(checkpoint)
    assert histogram.is_empty()


def test_loading_drops_outer_buckets_that_rounding_has_emptied() -> None:
    """kubernetes/autoscaler#7726: the percentile of such a histogram was 0."""
    histogram = linear()
    histogram.load_from_checkpoint(HistogramCheckpoint({1: 1, 5: 10000}, 1.0, 0))
    assert (histogram.min_bucket, histogram.percentile(0.5)) == (5, 6.0)


def test_a_sample_loses_half_of_its_weight_in_a_half_life() -> None:
    histogram = DecayingHistogram(LINEAR, HOUR)
    histogram.add_sample(2, 1000, 0)
    histogram.add_sample(1, 1, 20 * HOUR)
    assert histogram.percentile(0.999) == 2
    assert histogram.percentile(1.0) == 3


def test_a_hundred_half_lives_move_the_reference_time() -> None:
    histogram = DecayingHistogram(LINEAR, HOUR)
    histogram.add_sample(2, 1, 0)
    assert histogram.reference_timestamp == 0
    histogram.add_sample(1, 1, 100 * HOUR)
    assert histogram.reference_timestamp == 0
    histogram.add_sample(1, 1, 101 * HOUR)
    assert histogram.reference_timestamp == 101 * HOUR
    assert histogram.percentile(1.0) == 2


def test_merging_moves_the_older_reference_time_even_of_the_other_one() -> None:
    older, younger = DecayingHistogram(LINEAR, HOUR), DecayingHistogram(LINEAR, HOUR)
    older.add_sample(1, 1, 0)
    younger.add_sample(2, 1, 2 * HOUR)
    younger.merge(older)
    assert older.reference_timestamp == 2 * HOUR
    assert younger.bucket_weight[1:3] == [0.25, 1.0]


def test_a_wire_form_goes_there_and_back() -> None:
    checkpoint = HistogramCheckpoint({3: 10000}, 0.5, 7 * 10**9)
    wire = checkpoint.to_wire()
    assert wire == {"referenceTimestamp": "2000-01-01T00:00:07Z", "bucketWeights": {"3": 10000}, "totalWeight": 0.5}
    assert HistogramCheckpoint.from_wire(wire) == checkpoint
    assert HistogramCheckpoint.from_wire(None) == HistogramCheckpoint({}, 0.0, ZERO_TIME)
    assert HistogramCheckpoint.from_wire(None).to_wire() == {"referenceTimestamp": None}


def test_times_are_rounded_as_in_go() -> None:
    assert round_time(12 * HOUR, 24 * HOUR) == 24 * HOUR
    assert round_time(12 * HOUR - 1, 24 * HOUR) == 0
    assert round_time(5, 0) == 5
    assert [truncate_duration(one, 10) for one in (19, -19, 5)] == [10, -10, 0]
    assert truncate_duration(19, 0) == 19
