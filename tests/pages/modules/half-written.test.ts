// The editor's modules never throw, no matter how incomplete the text is.
import fc from 'fast-check';
import { completeQuery } from '../../../extension/pages/browser/playground/complete-query';
import { formatQuery } from '../../../extension/pages/browser/playground/format-query';
import { faultOf, syntaxFaults } from '../../../extension/pages/browser/playground/query-faults';
import { withSite } from '../../../extension/pages/browser/playground/query-text';
import { SITES, siteCatalogue } from './site-catalogue';

const knowledge = { catalogue: siteCatalogue(), sites: SITES };

const WHOLE = `{"qal": {
  "tracking_id": "shop",
  "materials": [{"name": "allpv"}, {"name": "click_event"}],
  "time": {"start": "2026-10-01T00:00:00", "end": "2026-11-01T00:00:00", "tz": "Europe/Berlin"},
  "make": {
    "a": {"from": ["allpv"], "filter": {"device_type": ["PC"], "browse_sec": {"gt": 1}}, "keep": ["allpv.url"],
      "join": {"with": "click_event", "on": [{"left": "allpv.pv_id", "right": "click_event.pv_id"}], "if not match": "drop"},
      "calc": {"n": "COUNT(click_event.pv_id)"}, "add": ["n"], "sort": {"by": "n", "order": "desc", "top": 3}},
    "b": {"from": ["a"], "keep": ["a.url"]}
  },
  "result": {"use": "b", "limit": 10}
}}`;

/** Runs everything that the editor does with text. Suggestions and marks must be inside the text. */
function check(text: string, offset: number): void {
  const completion = completeQuery(text, offset, knowledge);
  if (completion !== null) {
    expect(completion.from).toBeLessThanOrEqual(offset);
    expect(completion.to).toBeGreaterThanOrEqual(offset);
    expect(completion.to).toBeLessThanOrEqual(text.length);
  }
  const fault = faultOf(text, { code: 'E', message: 'M', at: 'make.a.join.on[0].left' });
  for (const { from, to } of [...syntaxFaults(text), fault]) {
    expect(from).toBeGreaterThanOrEqual(0);
    expect(from).toBeLessThanOrEqual(to);
    expect(to).toBeLessThanOrEqual(text.length);
  }
  withSite(formatQuery(text), 'blog');
}

test('nothing throws at the end of any prefix of a query', () => {
  for (let end = 0; end <= WHOLE.length; end++) check(WHOLE.slice(0, end), end);
});

test('nothing throws at any position in a complete query', () => {
  for (let offset = 0; offset <= WHOLE.length; offset++) completeQuery(WHOLE, offset, knowledge);
});

test('nothing throws if any part is replaced', () => {
  const position = fc.nat({ max: WHOLE.length });
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('"', '\\', '{', ']', ',', ':', '__proto__'),
  );
  fc.assert(
    fc.property(position, position, anything, (one, other, inserted) => {
      const start = Math.min(one, other);
      const text = WHOLE.slice(0, start) + inserted + WHOLE.slice(Math.max(one, other));
      check(text, start + inserted.length);
    }),
    { numRuns: 100 },
  );
});
