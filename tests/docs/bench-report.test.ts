// The benchmark's report on results that an older version measured.
import type { FullHouse } from '../../bench/full-house';
import { pageSections } from '../../bench/report/page';

test('names the parts that were not measured', () => {
  const fullHouse: Partial<FullHouse> = {
    crowd: { answered: { requests: 1_000, p50: 20, p99: 200, most: 300 } },
    healthPort: {},
    mainPort: {},
    thirdUser: {},
  };
  const results = { loads: {}, questions: {}, fullHouse };
  const page = pageSections({ about: '', size: '100k', results, growth: {}, loader: undefined }).join('\n');
  expect(page).toMatch(/the crowd, answered *\| *1,000/);
  expect(page).toContain('one more client in the crowd: not measured (`newcomer`)');
  expect(page.match(/: not measured/g)).toHaveLength(1);
});
