import { expect, it } from 'vitest'
import { insertAssignment } from '../../../src/db/tasks.ts'
import { setTaskBudget } from '../../../src/db/costs.ts'
import { setSleep } from '../../../src/db/quotas.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import type { Settings } from '../../../src/domain/settings/settings.ts'
import { parseFilter } from '../../../src/domain/task/filter-parser.ts'
import { later } from '../../../src/domain/words/time.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { findTasks } from '../../../src/operations/screens/search.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { readColumns } from '../../../src/operations/screens/columns.ts'
import { readDependencyTree } from '../../../src/operations/screens/dependency-tree.ts'
import { minute, openCore, type World } from '../../support/core.ts'
import { plainly } from '../../support/filters.ts'

/**
 * Kinds by name, by persona and by default; an agent called `bob-agent` has a line of its own, and `ada-agent` has the
 * line of ada.
 */
const agents: Settings['agents'] = {
  default: 'claude',
  names: { ada: 'codex', bob: 'command', 'bob-agent': 'claude' },
  personas: {
    tester: { kind: 'codex', args: [], approvals: 'ask', allow: [] },
    planner: { args: [], approvals: 'ask', allow: [] },
  },
  kinds: {},
  pass: [],
  connect: 'direct',
}

/**
 * Tasks with a kind from every source, some of them blocked, delayed, over their budget or ended; the quota of `kinds`
 * is used up.
 */
const board = async (kinds: readonly string[], configured = agents): Promise<World> => {
  const world = await openCore({ agents: configured })
  const { perform, task, core, now, agent } = world
  await agent('smith')
  const drafts = [
    {},
    {},
    {},
    {},
    { command: 'true' },
    { metadata: { cli: 'codex' } },
    { metadata: { cli: '' } },
    { metadata: { cli: 7 } },
    { metadata: ['cli'] },
  ]
  for (const personaId of ['implementer', 'tester', 'planner'])
    for (const draft of [...drafts, { dependencies: [1] }]) await task({ personaId, ...draft })
  for (const agentId of ['ada', 'ada-agent', 'bob', 'bob-agent', 'eve']) {
    const { id } = await task({ personaId: 'tester' })
    await core.store.write((db) => insertAssignment(db, id, { agentId, folder: null, maxRetries: null }))
  }
  await perform(cancelTask, { taskId: 2 })
  const until = later(now(), 60 * minute)
  await core.store.write(async (db) => {
    for (const kind of kinds)
      await setSleep(db, { kind, account: LOCAL, until, since: now(), agent_id: 'smith', why: 'used up' })
    // Some failed and wait for their retry, some wait for the same quota: they were started with another kind than
    // their own.
    await db.updateTable('task_status').set({ not_before: until }).where('task_id', 'in', [3, 13, 25]).execute()
    await db
      .updateTable('task_status')
      .set({ not_before: later(now(), minute) })
      .where('task_id', 'in', [4, 14, 20, 26])
      .execute()
    for (const id of [9, 19])
      await setTaskBudget(db, id, { cost_usd: 1, tokens: null, step_cost_usd: 1, step_tokens: null, asked_at: now() })
  })
  return world
}

const filters = [
  'state:sleeping',
  'is:sleeping',
  '-is:sleeping',
  'is:waiting',
  'state:waiting,sleeping',
  '-state:waiting',
  'state:sleeping priority>0',
  'time<1m is:sleeping',
]

it.each([[[]], [['claude']], [['codex']], [['command']], [['claude', 'codex']]])(
  'with the quota of %j used up, every query finds the tasks that are shown as sleeping',
  async (kinds) => {
    const { perform, now, core } = await board(kinds)
    const all = await perform(listTasks, {})
    expect(all.some(({ sleep }) => sleep !== null)).toBe(kinds.length > 0)
    for (const where of filters) {
      const expected = all
        .filter((task) => plainly(parseFilter(where).terms, task, now(), core.settings.lease.stalledAfter))
        .map(({ id }) => id)
      expect([where, (await perform(listTasks, { where })).map(({ id }) => id)]).toEqual([where, expected])
      expect([where, (await perform(findTasks, { where })).ids]).toEqual([where, expected])
      expect([where, (await perform(readBoard, { where })).tasks.map(({ id }) => id)]).toEqual([where, expected])
    }
  },
)

it('the filter state:sleeping finds tasks by kind, by name and by persona, and no blocked, ended or over-budget task', async () => {
  const { perform, pass } = await board(['codex'])
  const asleep = async () => (await perform(listTasks, { where: 'state:sleeping' })).map(({ id }) => id)
  // 3, 13 and 25 were delayed until then; 6, 16 and 26 request codex, 11 to 18 are for testers, 31 and 32 for ada, 35
  // for eve.
  expect(await asleep()).toEqual([3, 6, 11, 12, 13, 14, 16, 17, 18, 25, 26, 31, 32, 35])
  expect((await perform(listTasks, { where: 'state:waiting' })).map(({ id }) => id)).toEqual([4])
  pass(60 * minute)
  expect(await asleep()).toEqual([])
})

it('without a configured kind, only delayed tasks sleep', async () => {
  const { perform } = await board(['claude'], {
    ...agents,
    default: null,
    names: { ada: 'codex', bob: 'command', 'bob-agent': 'command' },
  })
  expect((await perform(listTasks, { where: 'state:sleeping' })).map(({ id }) => id)).toEqual([3, 13, 25])
  expect((await perform(listTasks, { where: 'state:waiting' })).map(({ id }) => id)).toEqual([4, 14, 26])
})

it('the columns and the tree show the same sleeping tasks as the list', async () => {
  const { perform } = await board(['codex'])
  const told = (tasks: readonly { readonly id: number; readonly sleep: unknown }[]) =>
    tasks.filter(({ sleep }) => sleep !== null).map(({ id }) => id)
  const listed = told(await perform(listTasks, {}))
  const [column] = await perform(readColumns, { columns: [{ column: 'pending', around: 1 }] })
  const { rows } = await perform(readDependencyTree, { at: 'first' })
  expect(told(column!.tasks)).toEqual(listed)
  expect(told(rows.map(({ task }) => task).sort((a, b) => a.id - b.id))).toEqual(listed)
})
