import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { person } from '../../../../src/domain/agent/actor.ts'
import { claimTask, reportTaskProgress } from '../../../../src/operations/tasks/claims.ts'
import { deregisterAgent } from '../../../../src/operations/agents/heartbeat.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { tamper } from '../../../support/store.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen

const note = (taskId: number, progressNote: string, level: 'debug' | 'info' | 'warn' | 'error' = 'info') =>
  perform(
    fixture.core,
    reportTaskProgress,
    { taskId, agentId: taskId === 1 ? 'ada' : 'bob', progressNote, level },
    person,
  )

beforeEach(async () => {
  fixture = await openFixture()
  for (const [id, name] of ['ada', 'bob'].entries()) {
    await fixture.addTask(`Task of ${name}`)
    await perform(fixture.core, registerAgent, { id: name, personaId: 'implementer' }, person)
    await perform(fixture.core, claimTask, { taskId: id + 1, agentId: name }, person)
  }
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const openLogs = async (size = { columns: 120, rows: 20 }): Promise<void> => {
  screen = openScreen(fixture, size)
  await screen.shows('1 Board')
  await screen.press('L')
  await screen.shows('Logs of all agents  following')
}

test('the notes and outputs of all agents are in one list that follows new lines', async () => {
  await note(1, 'ada begins')
  fixture.world.output.set('bob', 'hello from bob\n')
  await openLogs()
  await screen.shows(/ada +info +ada begins/)
  await screen.shows(/bob +hello from bob/)
  await note(2, 'bob goes on', 'warn')
  await screen.shows(/bob +warn +bob goes on/)
  fixture.world.output.set('bob', 'hello from bob\nand more\n')
  await screen.shows(/bob +and more/)
  await screen.press('\u001b')
  await screen.lacks('Logs of all agents')
})

test('l hides less severe lines; output stays only if it looks like an error', async () => {
  await note(1, 'quiet', 'debug')
  await note(1, 'plain')
  await note(1, 'careful', 'warn')
  await note(1, 'broken', 'error')
  fixture.world.output.set('bob', 'all is well\nError: no such file\n')
  await openLogs()
  await screen.shows('no such file')
  await screen.press('l')
  await screen.lacks(/ada .*quiet/)
  await screen.press('l')
  // The log pane below, which names no agent, may show the same notes.
  await screen.lacks(/ada .*plain/)
  await screen.lacks('all is well')
  await screen.shows(/warn and above/)
  await screen.press('l')
  await screen.lacks(/ada .*careful/)
  await screen.shows(/ada .*broken/)
  await screen.shows('no such file')
  await screen.press('l')
  await screen.shows(/ada .*quiet/)
})

test('/ searches, marks the matches, and n and N move between them; e moves between errors', async () => {
  const lines = Array.from({ length: 300 }, (_, n) =>
    n === 40 || n === 200 ? `needle ${n}` : n === 120 ? 'Error: it broke' : `line ${n}`,
  )
  fixture.world.output.set('ada', `${lines.join('\n')}\n`)
  await openLogs()
  await screen.shows('line 299')
  await screen.press('g', '/')
  await screen.press('NEEDLE', '\r')
  await screen.shows(/▸ *~?\d.*needle 40/)
  await screen.shows('paused')
  await screen.press('n')
  await screen.shows(/▸.*needle 200/)
  await screen.press('N')
  await screen.shows(/▸.*needle 40/)
  await screen.press('e')
  await screen.shows(/▸.*it broke/)
  await screen.press('/')
  await screen.press('\u0015', 'nowhere', '\r')
  await screen.shows('No shown line contains ‘nowhere’.')
  await screen.press('f')
  await screen.shows('line 299')
})

test('held logs stay in place while more arrives, until the end is followed again', async () => {
  const lines = Array.from({ length: 60 }, (_, n) => `line ${n}`)
  fixture.world.output.set('ada', `${lines.join('\n')}\n`)
  await openLogs()
  await screen.shows('line 59')
  await screen.press('k')
  await screen.lacks('line 59')
  await screen.shows('line 58')
  fixture.world.output.set('ada', `${[...lines, 'line 60', 'line 61'].join('\n')}\n`)
  await screen.shows(/–5[89] of 62|of 62/)
  expect(screen.text()).toContain('line 58')
  expect(screen.text()).not.toContain('line 61')
  await screen.press('G')
  await screen.shows('line 61')
  await screen.shows('following')
})

test('w wraps long lines, which are scrolled row by row', async () => {
  fixture.world.output.set('ada', `${'word '.repeat(60)}END\nshort\n`)
  await openLogs({ columns: 60, rows: 15 })
  await screen.shows('short')
  expect(screen.text()).not.toContain('END')
  await screen.press('w')
  await screen.shows('END')
  await screen.shows('wrapped')
})

test('s saves all shown lines and shows the path', async () => {
  await note(1, 'first', 'error')
  await note(1, 'second')
  await openLogs({ columns: 60, rows: 15 })
  await screen.shows('second')
  await screen.press('l', 'l', 's')
  // The whole path, even with little room.
  await screen.shows(/Saved \S*\.aiswarm\/logs\/saved\/logs-\d{8}-\d{6}\.log/)
  expect(fixture.world.saved).toHaveLength(1)
  expect(fixture.world.saved[0]!.text).toMatch(/^\d\d:\d\d:\d\d ada error +first\n$/)
})

test('the error under the cursor stays visible when lines are wrapped, and when lines in between are shown again', async () => {
  const far = 'far '.repeat(60)
  const lines = Array.from({ length: 60 }, (_, n) => (n === 30 ? `Error: it broke ${far}` : `line ${n} ${far}`))
  fixture.world.output.set('ada', `${lines.join('\n')}\n`)
  await openLogs({ columns: 60, rows: 15 })
  await screen.shows('line 59')
  await screen.press('g', 'e')
  await screen.shows(/▸.*it broke/)
  await screen.press('w')
  await screen.shows(/wrapped[^]*▸.*it broke/)
  await screen.press('w')
  await screen.shows(/paused\][^]*line 29 far far[^]*▸.*it broke/)
  await screen.press('l', 'l', 'l')
  await screen.shows(/errors only[^]*▸.*it broke/)
  await screen.press('l')
  await screen.shows(/paused\][^]*▸.*it broke/)
})

test('unread parts are named at the top: output of agents that ended long ago, and older notes', async () => {
  for (let n = 1; n <= 12; n++) {
    await perform(fixture.core, registerAgent, { id: `done-${n}`, personaId: 'implementer' }, person)
    await perform(fixture.core, deregisterAgent, { agentId: `done-${n}` }, person)
  }
  await note(1, 'first')
  await openLogs()
  await screen.press('g')
  await screen.shows(
    /│ +… 'aiswarm agent logs ID': output of agents that ended before the last 12 +│\n│ +\d\d:\d\d:\d\d ada +info +first/,
  )
  await screen.lacks('older than')
  await screen.press('\u001b')
  await screen.lacks('Logs of all agents')
  tamper(
    join(fixture.folder, 'coordination.db'),
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
     INSERT INTO task_logs (task_id, agent_id, level, message, logged_at) SELECT task_id, agent_id, level, 'many', logged_at FROM task_logs, n WHERE message = 'first'`,
  )
  await screen.press('L')
  await screen.shows('many')
  await screen.press('g')
  await screen.shows(/│ +… 'aiswarm task logs ID': older than the last 2000 notes +│\n│ +… 'aiswarm agent logs ID'/)
})

test('the help that is opened in the logs starts with their keys', async () => {
  await openLogs()
  await screen.press('?')
  await screen.shows(/\[Keys\].*\n│ Logs of all agents +│\n│ +\/ +Search the lines/)
  await screen.press('\u001b', '\u001b', '?')
  await screen.shows(/\[Keys\].*\n│ Panes/)
})

test('the log of the pane has the order of the logs of all agents: output comes before the notes after it', async () => {
  await note(1, 'ada begins')
  const writtenAt = fixture.core.clock()
  // A note of the same millisecond would come first.
  await vi.waitUntil(() => fixture.core.clock() > writtenAt)
  await note(1, 'ada goes on')
  fixture.world.output.set('ada', 'compiled\n')
  const readOutput = fixture.world.readOutput.bind(fixture.world)
  Object.assign(fixture.world, {
    readOutput: async (...asked: Parameters<typeof readOutput>) => ({ ...(await readOutput(...asked)), writtenAt }),
  })
  const order = (): readonly string[] => screen.text().match(/ada begins|compiled|ada goes on/g) ?? []
  screen = openScreen(fixture, { columns: 160, rows: 40 })
  await screen.shows(/ada begins[^]*compiled[^]*ada goes on/)
  await screen.press('L')
  await screen.shows('Logs of all agents  following')
  await screen.shows(/ada begins[^]*compiled[^]*ada goes on/)
  expect(order()).toEqual(['ada begins', 'compiled', 'ada goes on'])
})

test('a line separates the attempts of a task, in the pane and in the logs of all agents', async () => {
  await note(1, 'ada begins')
  await note(1, 'ada begins again')
  tamper(join(fixture.folder, 'coordination.db'), "UPDATE task_logs SET attempt = 2 WHERE message = 'ada begins again'")
  screen = openScreen(fixture, { columns: 160, rows: 40 })
  await screen.shows(/ada begins [^]*── task 1, attempt 2 ──[^]*ada begins again/)
  await screen.press('L')
  await screen.shows(/Logs of all agents[^]*ada begins [^]*── task 1, attempt 2 ──[^]*ada begins again/)
})
