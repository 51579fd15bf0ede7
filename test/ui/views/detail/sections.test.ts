import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentKinds } from '../../../../src/agents/kinds.ts'
import { person, system } from '../../../../src/domain/agent/actor.ts'
import { defaultSettings } from '../../../../src/domain/settings/settings.ts'
import { registerAgent, spawnAgent } from '../../../../src/operations/agents/spawn.ts'
import { claimTask, failTask, reportTaskProgress } from '../../../../src/operations/tasks/claims.ts'
import { discardWorktree } from '../../../../src/operations/worktrees/discard.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { recordCommits } from '../../../../src/operations/runs/ends.ts'
import { insertHost } from '../../../../src/db/hosts.ts'
import { recordPushed } from '../../../../src/operations/hosts/locations.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { agentText } from '../../../../src/text/agents.ts'
import { worktreeText } from '../../../../src/text/integration.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('pay')
  await fixture.addTask('Model', {
    description: 'The model of it all',
    acceptanceCriteria: ['It is tested'],
    targetWorktree: 'pay',
  })
  await fixture.addTask('Screen', { dependencies: [1] })
  await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId: 1, agentId: 'backend-1' }, person)
  await perform(
    fixture.core,
    reportTaskProgress,
    { taskId: 1, agentId: 'backend-1', progressNote: 'Half of it stands' },
    person,
  )
  await perform(fixture.core, failTask, { taskId: 1, agentId: 'backend-1', errorMessage: 'the tests are red' }, person)
  const commit = { oid: 'f'.repeat(40), author: 'Ada', at: fixture.core.clock(), subject: 'Add a model' }
  await perform(
    fixture.core,
    recordCommits,
    { taskId: 1, attempt: 1, branch: 'feature/pay', commits: [commit] },
    system(),
  )
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

/** From section to section, each after it is visible: a busy machine draws later than keys are pressed. */
const toSection = async (title: string): Promise<void> => {
  const marked = (): string => /▸[▸▾] .*/.exec(screen.text())?.[0] ?? ''
  while (!marked().startsWith(`▸▸ ${title}`)) {
    const before = marked()
    await screen.press(']')
    await eventually(() => expect(marked()).not.toBe(before))
  }
}

test('the detail of a task shows its criteria, its attempts with their errors, and its commits, and reads its dependencies and notes when they are opened', async () => {
  screen = openScreen(fixture, { columns: 120, rows: 50 })
  await screen.shows('Screen')
  await screen.press('\r')
  await screen.shows('[Task 1]')
  await screen.shows(/▾ Acceptance criteria {2}0 of 1 met[^]*○ It is tested/)
  await screen.shows(/▾ Attempts {2}1[^]*1\. backend-1 [\d:]{8}–[\d:]{8} failed[^]*the tests are red/)
  await screen.shows(/▾ Commits {2}1[^]*ffffffff Add a model/)
  await screen.shows(/▸ Dependencies and subtasks {2}1/)
  expect(screen.text()).not.toContain('Half of it stands')
  for (let n = 0; n < 9; n++) await screen.press(']')
  await screen.shows(/▸▸ Logs/)
  await screen.press(' ')
  await screen.shows(/▸▾ Logs[^]*info .*backend-1 {2}Half of it stands/)
  await screen.press(' ')
  await screen.lacks('Half of it stands')
  for (let n = 0; n < 9; n++) await screen.press('[')
  await screen.press(']', ']', ']')
  await screen.shows(/▸▸ Dependencies and subtasks/)
  await screen.press(' ')
  await screen.shows(/needed by +◌ 2 Screen {2}blocked/)
})

test("a screen reader gets foreign text unchanged, and only the program's own signs in words", async () => {
  await fixture.addTask('From ○ → ●', { description: 'A → B ×3, or ✓ by hand', acceptanceCriteria: ['← goes back'] })
  screen = openScreen(fixture, { columns: 120, rows: 50, environment: { INK_SCREEN_READER: '1' } })
  await screen.shows('Board, ')
  await screen.press('G', '\r')
  await screen.shows('A → B ×3, or ✓ by hand')
  expect(screen.text()).toContain('From ○ → ●')
  expect(screen.text()).toContain('open ← goes back')
  expect(screen.text()).toContain('Acceptance criteria, unfolded, 0 of 1 met')
})

test('the logs in the detail of a task contain the output of its agent, even if the log pane has no room', async () => {
  fixture.world.output.set('backend-1', Array.from({ length: 250 }, (_, n) => `step ${n}\n`).join(''))
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('Screen')
  await screen.press('\r')
  await screen.shows('[Task 1]')
  await toSection('Logs')
  expect(screen.text()).not.toContain('step')
  await screen.press(' ')
  // Content that is read later appears below the title.
  await screen.shows(/▸▾ Logs[^]*Half of it stands/)
  await screen.shows(/Output of backend-1, the last 200 lines:/)
  await screen.shows(/lines: +│\n│ step 50 /)
  await screen.press('G')
  await screen.shows(/step 249 /)
})

test('the key of the next section continues from the visible section after a jump, and never goes back', async () => {
  fixture.world.output.set('backend-1', Array.from({ length: 250 }, (_, n) => `step ${n}\n`).join(''))
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('Screen')
  await screen.press('\r')
  await screen.shows('[Task 1]')
  await toSection('Logs')
  // Folded, its title is visible at the end, with some above it, but not the first of all.
  await screen.press('g', ']')
  await screen.shows(/▸▾ Error/)
  await screen.press('G')
  await screen.shows('▸ Logs')
  const first = /▾ (?:[A-Z]\w+)(?: \w+)*/.exec(screen.text())![0].slice(2)
  expect(first).not.toBe('Error')
  await screen.press(']')
  await screen.shows(`▸▾ ${first}`)
  await toSection('Logs')
  // Open, it is longer than the screen: there is no further section.
  await screen.press(' ')
  await screen.shows('step 50 ')
  await screen.press('G')
  await screen.shows('step 249 ')
  await screen.press(']', 'k')
  await screen.lacks('step 249 ')
  expect(screen.text()).toContain('step 248 ')
  // Back goes to where the visible part starts.
  await screen.press('[')
  await screen.shows('▸▾ Logs')
})

test('the detail of an agent shows its command line, the names of its environment and its processes when they are opened', async () => {
  let looked = 0
  fixture.world.inspectAgent = async () => {
    looked++
    return {
      command: ['claude', '-p', 'do it', '••••••'],
      folder: '/shop',
      environment: ['API_TOKEN', 'PATH'],
      processes: [
        { pid: 100, level: 0, command: 'sh shim', seconds: 1, memory: 1024 ** 2 },
        { pid: 101, level: 1, command: 'claude \u001b[2Jdo it', seconds: 65, memory: 300 * 1024 ** 2 },
      ],
    }
  }
  screen = openScreen(fixture, { columns: 100, rows: 40 })
  await screen.shows('backend-1')
  await screen.press('2', '\r')
  await screen.shows('[Agent backend-1]')
  expect(looked).toBe(0)
  await screen.press(']', ' ')
  await screen.shows("claude -p 'do it' ••••••")
  await screen.press(']', ' ')
  await screen.shows('API_TOKEN (secret)  PATH')
  await screen.press(']', ' ')
  await screen.shows(/100 +1s +1\.?0?M {2}sh shim/)
  await screen.shows(/101 +1m05 +300M {4}claude do it/)
})

test('the detail of a worktree on a silent host says on a small screen at once what would be lost with it', async () => {
  await perform(fixture.core, recordPushed, { worktree: 'pay', oid: 'e'.repeat(40) }, system())
  await fixture.core.store.write(async (db) => {
    const joined_at = fixture.core.clock()
    await insertHost(db, {
      id: 'b',
      name: 'build-2',
      machine: 'b',
      root: '/b',
      beat_at: '2026-01-27T03:39:00.000Z',
      joined_at,
    })
    await db.updateTable('worktrees').set({ host_id: 'b' }).where('name', '=', 'pay').execute()
  })
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.press('4', '\r')
  await screen.shows('[Worktree pay]')
  await screen.shows(/host +build-2, host silent since \d\d:\d\d:\d\d/)
  await screen.shows(/safe as of +\d\d:\d\d:\d\d /)
})

test('the detail of a worktree shows its commits and the lines of its files, or why it cannot', async () => {
  fixture.world.contents = {
    target: 'main',
    commits: [{ oid: 'e'.repeat(40), author: 'Ada', at: '2026-01-30T14:22:33.000Z', subject: 'Pay by card' }],
    more: false,
    files: [
      { path: 'src/pay.ts', added: 20, removed: 10 },
      { path: 'logo.png', added: null, removed: null },
    ],
    moreFiles: false,
  }
  await perform(fixture.core, recordPushed, { worktree: 'pay', oid: 'e'.repeat(40) }, system())
  screen = openScreen(fixture, { columns: 100, rows: 40 })
  await screen.shows('pay')
  await screen.press('4', '\r')
  await screen.shows('[Worktree pay]')
  await screen.shows(/safe as of +\d\d:\d\d:\d\d /)
  await toSection('Commits')
  await screen.press(' ')
  // So long ago that the time of day alone would be meaningless.
  await screen.shows(/▸▾ Commits[^]*eeeeeeee Pay by card {2}\(Ada, (29|30|31) Jan \d\d:\d\d\)/)
  await screen.press(']', ' ')
  await screen.shows(/src\/pay\.ts +\+20 −10 +\++−+/)
  await screen.shows(/logo\.png +binary/)
  await screen.press(']', ' ')
  await screen.shows(/works in it ◔ 1 Model {2}retry soon/)
})

test('a section in the middle scrolls into view when it has been read', async () => {
  const files = Array.from({ length: 7 }, (_, n) => ({ path: `src/${n}.ts`, added: 1, removed: 0 }))
  fixture.world.contents = { target: 'main', commits: [], more: false, files, moreFiles: false }
  screen = openScreen(fixture, { columns: 60, rows: 15 })
  await screen.shows('Screen')
  await screen.press('4', '\r')
  await screen.shows('[Worktree pay]')
  await toSection('Files')
  await screen.press(' ')
  await screen.shows(/▸▾ Files[^]*src\/6\.ts/)
})

test('a section says what it cannot read', async () => {
  const { Refusal } = await import('../../../../src/domain/rules/refusal.ts')
  fixture.world.worktreeContents = () =>
    Promise.reject(new Refusal('not_found', 'The branch feature/pay of pay is gone.'))
  screen = openScreen(fixture, { columns: 100, rows: 40 })
  await screen.shows('pay')
  await screen.press('4', '\r')
  await screen.shows('[Worktree pay]')
  await toSection('Commits')
  await screen.press(' ')
  await screen.shows('The branch feature/pay of pay is gone.')
})

test('a single entry of a section is counted in the singular', () => {
  expect([1, 3].map((n) => agentText.uses(n, 0, '6M'))).toEqual([
    '1 process, 0% of a core, 6M',
    '3 processes, 0% of a core, 6M',
  ])
  expect([0, 1].map(worktreeText.paths)).toEqual(['0 paths', '1 path'])
})

test('a detail wraps on a narrow screen, and a cut command line says so', async () => {
  await perform(
    fixture.core,
    discardWorktree,
    { worktreeName: 'pay', reason: 'it was built for a shop that was never opened, and is not to be' },
    person,
  )
  fixture.world.inspection = {
    command: ['claude'],
    folder: '/shop',
    environment: [],
    processes: [
      { pid: 100, level: 0, command: 'claude -p --output-format stream-json --verbose', seconds: 1, memory: 1024 ** 2 },
    ],
  }
  screen = openScreen(fixture, { columns: 60, rows: 30 })
  await screen.shows('Screen')
  await screen.press('4', '\r')
  await screen.shows(/discarded +it was built for a shop that was never +│\n│ +opened, and is not to be/)
  await screen.press('\u001b', '2', '\r')
  await toSection('Processes')
  await screen.press(' ')
  await screen.shows(/100 +1s +1M {2}claude -p --output-format stre… │/)
})

test("the detail of an agent says what its kind cannot be made to ask for, in doctor's words", async () => {
  const kinds = agentKinds(defaultSettings)
  Object.assign(fixture.core, { unasked: (kind: string) => kinds.get(kind)?.unasked })
  await fixture.addTask('Look', { targetWorktree: 'pay' })
  await perform(fixture.core, spawnAgent, { personaId: 'implementer', taskId: 3, kind: 'codex', id: 'coda' }, person)
  screen = openScreen(fixture, { columns: 120, rows: 50 })
  await screen.shows('Screen')
  await screen.press('2', 'G', '\r')
  await screen.shows(/\[Agent coda\][^]*permissions +It does not ask for commands that it considers harmless/)
  await screen.press('\u001b')
  await screen.shows('2 Agents')
  await screen.press('g', '\r')
  // An agent that registered itself is of no known kind.
  await screen.shows(/\[Agent backend-1\]/)
  expect(screen.text()).not.toContain('permissions')
})
