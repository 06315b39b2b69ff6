import type { DashboardInfo, PartAnswer } from '../../shared-types/dashboard-types';
import { button, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { Line } from './line';
import { drawLine } from './line-chart';
import { isOff, offNote } from './switched-off';

interface ChartPlace {
  draw(line: Line): void;
  fail(failure: NonNullable<PartAnswer['error']>): void;
}

export function openChart(place: HTMLElement, own: DashboardInfo['own'], again: () => void): ChartPlace {
  let takeDown = () => {};
  return {
    draw(line) {
      takeDown();
      takeDown = drawLine(place, line);
    },
    fail(failure) {
      takeDown();
      takeDown = () => {};
      if (isOff(failure)) place.replaceChildren(offNote(failure, own));
      else
        place.replaceChildren(
          element('p', sentenceOf(failure), 'fault'),
          button('Try again', 'quiet', again),
        );
    },
  };
}
