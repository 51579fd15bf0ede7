import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { later } from '../../../../src/domain/words/time.ts'
import { initialState } from '../../../../src/ui/store.ts'
import { axisLine } from '../../../../src/ui/views/plots/series.ts'
import { isPlain } from '../../../../src/ui/terminal/ascii.ts'
import { tamper } from '../../../support/store.ts'
import { openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

/** A session of four hours with three agents whose eleven attempts have every outcome, written past the operations. */
const openSession = async () => {
  const fixture = await openFixture()
  onTestFinished(() => fixture.close())
  const now = fixture.core.clock()
  const at = (share: number): string => later(now, (share - 1) * 4 * 3_600_000)
  for (let n = 1; n <= 11; n++) await fixture.addTask(`Task ${n}`)
  const outcomes = [
    'completed',
    'failed',
    'completed',
    'cancelled',
    'completed',
    'lost',
    'completed',
    'completed',
    'terminated',
    'completed',
    null,
  ]
  const agents = ['backend-1', 'frontend-1', 'tester-1']
  tamper(
    join(fixture.folder, 'coordination.db'),
    `UPDATE sessions SET started_at = '${at(0)}'; UPDATE tasks SET created_at = '${at(0.01)}';
     ${agents.map((id) => `INSERT INTO agents (id, persona_id, kind, registered_at, last_heartbeat, status, process, run, once) VALUES ('${id}', 'implementer', 'claude', '${at(0)}', '${now}', 'idle', 'none', 1, 0);`).join('')}
     INSERT INTO task_attempts (task_id, attempt, agent_id, claimed_at, ended_at, outcome) VALUES ${outcomes
       .map(
         (outcome, n) =>
           `(${n + 1}, 1, '${agents[n % 3]!}', '${at(n / 12)}', ${outcome === null ? 'NULL, NULL' : `'${at((n + 1) / 12)}', '${outcome}'`})`,
       )
       .join(', ')};
     UPDATE task_status SET status = 'completed', completed_at = (SELECT ended_at FROM task_attempts a WHERE a.task_id = task_status.task_id) WHERE task_id IN (SELECT task_id FROM task_attempts WHERE outcome = 'completed');
     INSERT INTO agent_runs (agent_id, run, kind, started_at, ended_at, tokens_in, tokens_out, cost_usd) VALUES ('backend-1', 1, 'claude', '${at(0)}', '${at(0.5)}', 40000, 2000, 0.5)`,
  )
  return fixture
}

const shown = async (columns: number, rows: number, environment: NodeJS.ProcessEnv = {}) => {
  const fixture = await openSession()
  const screen = openScreen(fixture, { columns, rows, environment })
  onTestFinished(() => screen.close())
  await screen.shows(columns < 80 ? 'Task 1' : 'frontend-1')
  await screen.press('P')
  await screen.shows(/completed/)
  return { fixture, screen }
}

describe('the plots of the session', () => {
  test('show all parts at 200×50, and the recent outcomes are in the header', async () => {
    const { screen } = await shown(200, 50)
    await screen.shows(/completed {2}6, 1\.5\/h/)
    await screen.shows(/failed {2}2, 0\.5\/h/)
    await screen.shows(/tokens {2}42k, 1[01]k\/h/)
    await screen.shows(/cost {2}\$0\.50, \$0\.1[23]\/h/)
    await screen.shows('5 open, 11 created, 6 closed')
    await screen.shows(/ tester-1 .*░/)
    await screen.shows(/ frontend-1 .*✗+.*▒/)
    await screen.shows(/done [▁-█]+ {2}failed ▁+/)
    expect(screen.text().split('\n')).toHaveLength(50)
  })

  test('are read to a screen reader with the numbers of the burn-down once', async () => {
    const { screen } = await shown(120, 50, { INK_SCREEN_READER: '1' })
    await screen.shows('Burn-down, 5 open, 11 created, 6 closed')
    expect(screen.text().match(/11 created/g)).toHaveLength(1)
  })

  test('show all parts at 80×24; tab gives one of them the whole room, and finally shows all of them again', async () => {
    const { screen } = await shown(80, 24)
    for (const words of ['Per 10m', 'Burn-down', 'Attempts', 'backend-1']) await screen.shows(words)
    await screen.press('\t')
    await screen.shows('[Per 10m]')
    await screen.lacks('Burn-down')
    await screen.press('\t')
    await screen.shows('[Burn-down]')
    await screen.shows(/[⠀-⣿]{5}/)
    await screen.press('\t')
    await screen.shows('[Attempts]')
    await screen.press('\t')
    await screen.lacks('[Attempts]')
    await screen.shows('Burn-down')
    await screen.press('\u001b')
    await screen.shows('1 Board')
  })

  test('show missing costs, in few characters next to the bars', async () => {
    const { fixture, screen } = await shown(80, 24)
    tamper(
      join(fixture.folder, 'coordination.db'),
      "INSERT INTO agent_runs (agent_id, run, kind, started_at, tokens_in, tokens_out) SELECT 'tester-1', 1, 'codex', started_at, 9000, 900 FROM sessions",
    )
    await screen.shows(/cost .* \$0\.50\+, \$0\.1[23]\/h +│/)
    await screen.press('\t')
    await screen.shows(/cost {2}\$0\.50, \$0\.1[23]\/h without 10k tokens/)
  })

  test('show one part at a time at 60×15', async () => {
    const { screen } = await shown(60, 15)
    for (const title of ['[Per 10m]', '[Burn-down]', '[Attempts]', '[Per 10m]']) {
      await screen.shows(title)
      expect(
        Math.max(
          ...screen
            .text()
            .split('\n')
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(60)
      await screen.press('\t')
    }
  })

  test('are redrawn while they are open', async () => {
    const { fixture, screen } = await shown(120, 40)
    await screen.shows('5 open, 11 created')
    await fixture.addTask('One more')
    await screen.shows('6 open, 12 created')
    await screen.press('\u001b')
    await screen.shows('1 Board')
    await fixture.addTask('And another')
    await screen.press('P')
    await screen.shows('7 open, 13 created')
  })

  test('are drawn in ASCII if the locale requires it', async () => {
    const { screen } = await shown(120, 40, { LANG: 'C' })
    await screen.shows(/ frontend-1 +.*x+ .*>/)
    await screen.shows(/[*]{3}/)
    // The line above is the header, which has a bar of its own.
    expect(screen.text().split('\n').slice(1).join('\n')).not.toMatch(/[▁-█⠁-⣿░▒✗↑]/)
  })

  test('are replaced by a note if there was no session', async () => {
    const fixture = await openFixture()
    onTestFinished(() => fixture.close())
    tamper(join(fixture.folder, 'coordination.db'), 'DELETE FROM sessions')
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    onTestFinished(() => screen.close())
    await screen.shows('no session')
    await screen.press('P')
    await screen.shows('No session yet.')
    await screen.press('j', 'G', '\t', '\u001b')
    await screen.shows('1 Board')
  })
})

test('a locale that is not UTF-8 gets plain marks, and without a locale the console is drawn as usual', () => {
  expect([{ LANG: 'C' }, { LANG: 'de_DE.ISO-8859-1' }, { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }].map(isPlain)).toEqual([
    true,
    true,
    true,
  ])
  expect([{}, { LANG: 'en_US.UTF-8' }, { LC_ALL: '', LC_CTYPE: 'C.utf8', LANG: 'C' }].map(isPlain)).toEqual([
    false,
    false,
    false,
  ])
  expect(initialState('2026-01-30T14:22:33.000Z').plots.report).toBeNull()
})

test('the axis of a plot that is narrower than a time is empty, because half of it would be another time', () => {
  const from = '2026-01-30T14:22:33.000Z'
  const span = { from, to: later(from, 90_000), start: from, step: 10_000, buckets: 9 }
  const first = axisLine(span, 8, 'exact')
  expect(first).toMatch(/^\d\d:\d\d:33$/)
  expect(axisLine(span, 7, 'exact')).toBe('')
  expect(axisLine(span, 17, 'exact')).toMatch(/^\d\d:\d\d:33 \d\d:\d\d:03$/)
})
