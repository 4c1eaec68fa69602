"""Programs beside each other on the same boards."""

from dataclasses import replace

import pytest

from kdvision.errors import KdvisionError, NotationError
from kdvision.evaluate.summary import Row, as_csv
from kdvision.lab.experiments import peers
from kdvision.lab.experiments.peers import compared
from tests.kingdoms import FIVE, SMALL
from tests.paths import ROOT

RESULTS = ROOT / "models" / "results" / "boards-seed1.csv"
ROW = Row(
    "1.jpg", "desk", 1, 1, 0, True, 9, 9, 9, True, 1, True, 0, False, False, True, 0.99, 0.5, SMALL, SMALL
)  # fmt: skip
TWO = replace(ROW, photo="2.jpg", kingdoms=2, true=f"{SMALL} | {FIVE}", read=f"{FIVE} | {SMALL}")
EVALUATION = as_csv([ROW, TWO])


def table(*lines: tuple[str, str]) -> str:
    return "photo,board\n" + "".join(f'{photo},"{board}"\n' for photo, board in lines)


def test_all_are_judged_on_the_photos_that_all_name() -> None:
    wrong = SMALL.replace("f1", "f")
    us, them = compared(EVALUATION, {"them": table(("1.jpg", wrong))})
    assert us.cells() == ("kdvision", "1", "100.0 %", "100.0 %", "100.0 %")
    assert (them.boards, them.boards_right, them.points_right) == (1, 0, 0)
    assert them.squares_right == them.squares - 1


def test_kingdoms_come_in_any_order_and_turn_and_a_missing_one_counts() -> None:
    us, all_there, one, none = compared(
        EVALUATION,
        {
            "all": table(("2.jpg", FIVE), ("2.jpg", SMALL)),
            "one": table(("2.jpg", SMALL)),
            "none": table(("2.jpg", "")),
        },
    )
    assert (us.boards_right, all_there.boards_right, one.boards_right, none.boards_right) == (2, 2, 1, 0)
    assert none.cells()[2] == "0.0 %"


def test_tables_that_are_none_are_told() -> None:
    with pytest.raises(NotationError, match="line 3 of them: "):
        compared(EVALUATION, {"them": table(("1.jpg", SMALL), ("2.jpg", "q9"))})
    with pytest.raises(NotationError, match="no columns photo and board"):
        compared(EVALUATION, {"them": "file,result\n1,2\n"})
    with pytest.raises(KdvisionError, match="no photo is in all"):
        compared(EVALUATION, {"them": table(("other.jpg", SMALL))})
    with pytest.raises(KdvisionError, match="no evaluation"):
        compared("a,b\n", {})


def test_the_page_has_the_figures_that_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main([str(RESULTS)]) == 0
    printed = capsys.readouterr().out.splitlines()[1].split("  ")
    cells = [word.strip() for word in printed if word.strip()]
    page = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    assert f"| {' | '.join(cells)} |" in page


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main(["nowhere.csv"]) == 1
    assert capsys.readouterr().err == "nowhere.csv cannot be read: No such file or directory\n"
