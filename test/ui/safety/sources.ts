import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { ConsoleCommand } from '../../../src/contracts/console.ts'
import type { Saying, TalkPiece } from '../../../src/contracts/conversation.ts'
import { insertMessage } from '../../../src/db/messages.ts'
import { saveWatchedCheckout } from '../../../src/db/repository.ts'
import { type Actor, person, system } from '../../../src/domain/agent/actor.ts'
import { type Instant, later } from '../../../src/domain/words/time.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { recordGuard } from '../../../src/operations/integration/configuration-drift.ts'
import { recordTarget } from '../../../src/operations/integration/drift-detection.ts'
import { addConversation } from '../../../src/operations/memory/conversations.ts'
import { addExecution } from '../../../src/operations/memory/executions.ts'
import { perform as performExactly } from '../../../src/operations/perform/perform.ts'
import { requestPermission } from '../../../src/operations/requests/permissions.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { recordCommits } from '../../../src/operations/runs/ends.ts'
import { claimTask, completeTask, failTask, reportTaskProgress } from '../../../src/operations/tasks/claims.ts'
import type { TaskDraft } from '../../../src/operations/tasks/create.ts'
import { emptyCensus } from '../../support/census.ts'
import { fileOf, reviewOfFiles } from '../../support/review.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { decisionOf, memories, workingOf } from '../memories.ts'
import { agentName, hostile, messageName, shortHostile } from './families.ts'

// A session in which everything that an agent, a file or a process can write is hostile.

const names = {
  agent: agentName('agent'),
  other: agentName('other'),
  worktree: shortHostile('worktree', 390),
  persona: agentName('persona'),
} as const

const fails = 'failing'

/** Every operation refuses a text with a NUL; one that is written past them may have it. */
const withoutNul = <Input>(input: Input): Input => JSON.parse(JSON.stringify(input).replaceAll('\\u0000', '')) as Input

const perform = ((core, operation, input, actor) =>
  performExactly(core, operation, withoutNul(input), actor)) as typeof performExactly

/** The session; `names` are its actors. */
export const openHostile = async (): Promise<Fixture> => {
  const fixture = await openFixture()
  const core = {
    ...fixture.core,
    settings: { ...fixture.core.settings, session: { ...fixture.core.settings.session, maxRetries: 0 } },
  }
  const found = { ...fixture, core, connection: { ...fixture.connection, core } }
  const of = (id: string): Actor => ({ kind: 'agent', id, role: 'worker', worktree: null })
  for (const name of ['pay', 'ready', 'torn']) await fixture.addWorktree(name)
  for (const id of ['ada', 'bob', fails, 'done', 'quiet'])
    await perform(
      core,
      registerAgent,
      { id, personaId: 'tester', ...(id === 'ada' ? { worktree: 'pay' } : {}) },
      person,
    )
  const title = shortHostile('title', 490)
  const add = (named: string, draft: Partial<TaskDraft> = {}) =>
    fixture.addTask(withoutNul(named), withoutNul({ personaId: 'tester', ...draft }))
  await add(title, {
    description: hostile('description', { lines: true }),
    acceptanceCriteria: [hostile('criterion')],
    targetWorktree: 'pay',
    contextRef: hostile('context'),
  })
  await perform(core, claimTask, { taskId: 1 }, of('ada'))
  await perform(
    core,
    reportTaskProgress,
    { taskId: 1, progressNote: hostile('note', { lines: true }), percentComplete: 40, level: 'error' },
    of('ada'),
  )
  await perform(
    core,
    requestPermission,
    {
      toolName: shortHostile('tool', 190),
      input: { command: hostile('command', { lines: true }), extra: hostile('input') },
    },
    of('ada'),
  )
  await add(title)
  await perform(core, claimTask, { taskId: 2 }, of('bob'))
  await perform(
    core,
    askHuman,
    { question: hostile('question', { lines: true }), options: [shortHostile('option', 190)] },
    of('bob'),
  )
  await add(title, { targetWorktree: 'pay', description: hostile('detail', { lines: true }) })
  await perform(core, claimTask, { taskId: 3 }, of(fails))
  await perform(core, failTask, { taskId: 3, errorMessage: hostile('error', { lines: true }) }, of(fails))
  await add(title)
  await perform(core, claimTask, { taskId: 4 }, of('done'))
  await perform(
    core,
    completeTask,
    { taskId: 4, resultData: { [hostile('key')]: hostile('result') }, artifacts: [] },
    of('done'),
  )
  await add(title, { dependencies: [3], command: hostile('script', { lines: true }) })
  const commit = {
    oid: 'f'.repeat(40),
    author: shortHostile('author', 900),
    at: core.clock(),
    subject: hostile('subject').slice(0, 2000),
  }
  await perform(
    core,
    recordCommits,
    { taskId: 1, attempt: 1, branch: shortHostile('branch', 390), commits: [commit] },
    system(),
  )
  for (const messageId of ['aiswarm-task-1-1', messageName]) {
    await perform(
      core,
      addConversation,
      {
        userId: core.memoryUser,
        messageId,
        userInput: hostile('asked', { lines: true }),
        agentResponse: hostile('answered', { lines: true }),
      },
      person,
    )
    const done = {
      summary: hostile('summary'),
      observations: hostile('observation'),
      toolsUsed: [hostile('used')],
      errors: [{ error_type: hostile('mistake'), error_message: hostile('mistake') }],
      success: false,
    }
    await perform(core, addExecution, { userId: core.memoryUser, messageId, ...done }, person)
  }
  await perform(core, recordGuard, { found: { hash: 'before', entries: {} }, lines: [] }, system())
  await perform(
    core,
    recordGuard,
    { found: { hash: 'after', entries: {} }, lines: [`+ ${hostile('guard')}`] },
    system(),
  )
  const commits = { added: 1, dropped: 0, newest: [hostile('moved')] }
  const seen = { target: 'main', times: [core.clock()], launching: ['ada'], commits }
  await perform(core, recordTarget, { ...seen, found: 'a'.repeat(40) }, system())
  await perform(core, recordTarget, { ...seen, before: 'a'.repeat(40), found: 'b'.repeat(40) }, system())
  const changes = JSON.stringify([{ path: hostile('changed'), before: '', after: '?? 1' }])
  await core.store.write((db) =>
    saveWatchedCheckout(db, {
      files: '{}',
      looked_at: core.clock(),
      changes,
      agents: JSON.stringify(['ada']),
      changed_at: core.clock(),
    }),
  )
  await core.store.write((db) =>
    insertMessage(db, {
      kind: 'say',
      agent_id: 'human',
      author: 'ada',
      author_kind: 'agent',
      body: hostile('mail'),
      delivery: 'now',
      said_at: core.clock(),
      sent_to: 'person',
    }),
  )
  await fixture.makeReady('ready')
  await fixture.makeReady('torn')
  tamper(found)
  world(found)
  return found
}

/** Texts that the operations would refuse or cannot express, written past them. */
const tamper = ({ folder, core }: Fixture): void => {
  const store = new SqliteDatabase(join(folder, 'coordination.db'))
  store.pragma('foreign_keys = OFF')
  const set = (sql: string, ...values: readonly unknown[]): void => void store.prepare(sql).run(...values)
  set(
    'UPDATE tasks SET command = ?, created_by = ? WHERE id = 5',
    hostile('script', { lines: true }),
    agentName('maker'),
  )
  set("UPDATE tasks SET target_worktree = 'ready' WHERE id = 2")
  set('UPDATE task_status SET command_allowed = 0 WHERE task_id = 5')
  set('UPDATE task_dependencies SET depends_on = 4 WHERE task_id = 5')
  set('UPDATE task_status SET artifacts = ? WHERE task_id = 4', JSON.stringify([hostile('artifact')]))
  set('UPDATE sessions SET goal = ?, id = ?', hostile('goal'), shortHostile('session', 190))
  set('UPDATE tasks SET session_id = (SELECT id FROM sessions)')
  set("UPDATE hosts SET beat_at = ? WHERE id = 'local'", core.clock())
  set(
    'INSERT INTO hosts (id, name, labels, kinds, program, beat_at, joined_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...['other', hostile('hostname'), JSON.stringify([hostile('label')]), JSON.stringify([hostile('hostkind')])],
    ...['0.1.0', core.clock(), core.clock()],
  )
  set("UPDATE worktrees SET host_id = 'other' WHERE name = 'torn'")
  set('UPDATE agents SET kind = ?', hostile('kind'))
  set("UPDATE agents SET host_id = 'other' WHERE id = 'quiet'")
  set(
    "UPDATE agents SET launch_error = ?, stop_reason = ? WHERE id = 'quiet'",
    hostile('launch', { lines: true }),
    hostile('stop'),
  )
  set("UPDATE agents SET stop_requested_at = ? WHERE id = 'quiet'", core.clock())
  set(
    "INSERT INTO agent_runs (agent_id, run, task_id, kind, model, cli_session, started_at, ended_at, said, problem) VALUES ('failing', 1, 3, ?, ?, ?, ?, ?, ?, ?)",
    ...[
      hostile('runkind'),
      hostile('model'),
      hostile('cli'),
      core.clock(),
      core.clock(),
      hostile('said', { lines: true }),
      hostile('trouble', { lines: true }),
    ],
  )
  set(
    'UPDATE worktrees SET branch_name = name || ?, path = name || ?, source_branch = ?',
    hostile('branch'),
    hostile('path'),
    hostile('fork'),
  )
  const verification = JSON.stringify({
    id: 1,
    command: hostile('check'),
    exitCode: 1,
    log: hostile('file'),
    tail: hostile('tail', { lines: true }),
    startedAt: core.clock(),
    endedAt: core.clock(),
  })
  set("UPDATE integrations SET target = ? WHERE worktree = 'ready'", hostile('target'))
  set(
    "UPDATE integrations SET status = 'unverified', target = ?, verification = ?, conflicts = ?, problem = ? WHERE worktree = 'torn'",
    ...[hostile('target'), verification, JSON.stringify([hostile('conflict')]), hostile('problem', { lines: true })],
  )
  set(
    'INSERT INTO events (at, actor, operation, agent_id, worktree, details) VALUES (?, ?, ?, ?, ?, ?)',
    core.clock(),
    agentName('actor'),
    hostile('operation'),
    agentName('eventagent'),
    hostile('place'),
    '{}',
  )
  insertTalk(store, fails, core.clock())
  insertRace(store, core.clock())
  const renamed = { ada: names.agent, bob: names.other, pay: names.worktree, tester: names.persona }
  const tables = store
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '%full_text%' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
  for (const { name: table } of tables) {
    for (const { name: column, type } of store
      .prepare<[], { name: string; type: string }>(`PRAGMA table_info("${table}")`)
      .all()) {
      if (type !== 'TEXT') continue
      for (const [before, after] of Object.entries(renamed))
        set(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE "${column}" = ?`, after, before)
    }
  }
  store.close()
}

/** The results of git, of the processes, of the files and of the agents' outputs. */
const world = ({ world, core }: Fixture): void => {
  const at = core.clock()
  const diff = hostile('diff', { lines: true })
    .split('\n')
    .map((line) => `+${line}\n`)
    .join('')
  world.review = reviewOfFiles(
    [
      fileOf(hostile('filename'), `@@ -1 +1,50 @@ ${hostile('hunk')}\n-old\n${diff}`, {
        from: hostile('oldname'),
        change: 'renamed',
        elsewhere: [hostile('elsewhere')],
      }),
      fileOf('.github/workflows/a.yml', `@@ -1 +1 @@\n-a\n+${hostile('workflow')}\n`),
    ],
    {
      worktree: 'ready',
      target: hostile('target'),
      commits: [{ oid: 'b'.repeat(40), author: hostile('author'), at, subject: hostile('subject') }],
      uncommitted: [hostile('uncommitted')],
      tasks: [
        {
          id: 2,
          title: hostile('title'),
          status: 'completed',
          said: [{ where: hostile('where'), text: `All tests pass: ${hostile('claim')}` }],
          criteria: [{ text: hostile('criterion'), met: false }],
          missing: [],
          artifacts: [hostile('artifact')],
          lastExit: 1,
        },
      ],
    },
  )
  world.talk = hostileTalk()
  world.verification = `${hostile('verification', { lines: true })}\n`
  world.commands = [
    {
      at,
      folder: hostile('folder'),
      argv: ['commit', hostile('argument')],
      exitCode: 1,
      ms: 3,
      said: hostile('gitsaid', { lines: true }),
    },
  ]
  world.inspection = {
    command: ['claude', hostile('word')],
    folder: hostile('folder'),
    environment: [hostile('variable')],
    processes: [{ pid: 7, level: 0, command: hostile('process'), seconds: 1, memory: 1024 }],
  }
  world.contents = {
    target: hostile('target'),
    commits: [{ oid: 'b'.repeat(40), author: hostile('author'), at, subject: hostile('subject') }],
    more: true,
    files: [{ path: hostile('filename'), added: 1, removed: 1 }],
    moreFiles: true,
  }
  world.held = {
    ...emptyCensus,
    uncommitted: [hostile('uncommitted')],
    untracked: [hostile('untracked')],
    beyond: [hostile('beyond')],
    stashes: [hostile('stash')],
    inProgress: 'rebase',
    head: hostile('head'),
  }
  for (const id of [names.agent, names.other])
    world.output.set(id, `${hostile('output', { lines: true })}\nError: ${hostile('output')}\n`)
  const lander = { brings: true, unfinished: 1, uncommitted: 1, needs: ['ready'], target: hostile('target') }
  world.seen = {
    worktrees: [
      { ...lander, name: names.worktree, remark: hostile('remark') },
      { ...lander, name: 'ready', needs: [], remark: null },
    ],
    pairs: [
      {
        a: names.worktree,
        b: 'ready',
        withTarget: false,
        files: [hostile('filename')],
        includesUncommitted: true,
        problem: null,
      },
    ],
    order: [names.worktree],
    steps: [{ worktree: names.worktree, why: hostile('why') }],
  }
  const noted = { timestamp: at, context: { storyId: hostile('story'), taskId: hostile('taskid') } }
  world.files = memories({
    working: [
      workingOf(hostile('memoryagent'), {
        sessionId: hostile('memorysession'),
        lastUpdated: hostile('updated'),
        currentContext: { storyId: hostile('story') },
        plan: [hostile('plan')],
        currentStep: 1,
        observations: [{ ...noted, content: hostile('observed', { lines: true }) }],
        decisions: [{ ...noted, decision: hostile('decided'), reasoning: hostile('reasoning') }],
        blockers: [
          {
            ...noted,
            blocker: hostile('blocker'),
            resolved: true,
            resolution: hostile('resolution'),
            resolvedAt: hostile('when'),
          },
        ],
        keyFacts: { [hostile('factname')]: { ...noted, content: hostile('fact') } },
        completedTasks: [{ timestamp: at, taskId: hostile('taskid') }],
      }),
    ],
    workingProblem: hostile('memoryproblem'),
    decisions: {
      decisions: [
        {
          ...decisionOf(shortHostile('adr', 60), 'Accepted', hostile('adrtitle'), [
            { key: hostile('edge'), targets: [{ id: hostile('adrtarget'), note: hostile('adrnote') }] },
          ]),
          text: hostile('adrtext', { lines: true }),
        },
      ],
      problems: [hostile('memoryproblem')],
    },
    timeline: {
      entries: [
        {
          at: later(at, 0),
          agent: hostile('memoryagent'),
          title: hostile('timeline'),
          notes: [hostile('timelinenote')],
          line: 1,
        },
      ],
      problems: [hostile('memoryproblem')],
    },
  })
  world.observeWorktrees = async () => [
    { name: names.worktree, ahead: 1, behind: 0, dirty: 1, added: 1, removed: 1 },
    { name: 'ready', ahead: 1, behind: 0, dirty: 0, added: 1, removed: 1 },
  ]
}

/** Commands of the palette with hostile words, refusals and answers; earlier remembered ones are hostile as well. */
export const hostileCommands: readonly ConsoleCommand[] = [
  {
    path: 'task hostile',
    summary: 'A command for the test of what is shown',
    words: [
      {
        key: 'word',
        name: '--word',
        kind: 'text',
        description: 'A word',
        form: null,
        required: true,
        repeated: false,
        choices: [],
      },
    ],
    destroys: (values) => values['word'] === 'destroy',
    line: (values) => ['aiswarm', 'task', 'hostile', values['word'] ?? ''],
    refusals: (values): Readonly<Record<string, string>> =>
      ['ok', 'destroy'].includes(values['word'] ?? '') ? {} : { word: hostile('refusal') },
    run: async () => hostile('answer', { lines: true }),
  },
]

export const hostileMemory: Readonly<Record<string, unknown>> = {
  filters: [{ name: hostile('filtername'), filter: hostile('filter') }],
  commands: [{ path: 'task hostile', values: { word: hostile('past') } }],
}

// A conversation and a race of which every text is hostile.

/** The question of the agent: its tool and its input find the request of the row below. */
const asked = { tool: agentName('askstool'), input: JSON.stringify({ command: agentName('asksinput') }) }

const sayings = (): readonly Saying[] => [
  { kind: 'run' },
  { kind: 'text', text: hostile('talktext'), continues: false },
  { kind: 'text', text: hostile('talkmore'), continues: true },
  { kind: 'thought', text: hostile('thought') },
  { kind: 'output', text: hostile('talkoutput') },
  { kind: 'tool', call: 'one', name: agentName('toolname'), about: hostile('toolabout') },
  {
    kind: 'input',
    call: 'one',
    command: hostile('toolcommand'),
    edits: [
      { path: hostile('editpath'), before: hostile('editbefore'), after: hostile('editafter') },
      { path: hostile('newpath'), before: '', after: hostile('newtext') },
    ],
  },
  { kind: 'result', call: 'one', text: hostile('toolresult'), failed: true },
  { kind: 'failed', call: 'two', name: agentName('failedtool'), about: hostile('failedabout'), denied: true },
  { kind: 'result', call: hostile('unknowncall'), text: hostile('lateresult'), failed: false },
  {
    kind: 'plan',
    steps: [
      { text: hostile('planned'), state: 'open' },
      { text: hostile('planning'), state: 'doing' },
      { text: hostile('plandone'), state: 'done' },
    ],
  },
  { kind: 'asks', call: 'three', about: hostile('asksabout'), ...asked },
  { kind: 'note', level: 'warn', text: hostile('talknote') },
  { kind: 'gap', bytes: 7 },
  { kind: 'ended', ok: false, text: hostile('talkended') },
]

/** The output of an agent, read in one piece. */
const hostileTalk = (): TalkPiece => {
  const said = sayings()
  return {
    events: said.map((saying, offset) => ({ run: 0, offset, part: 0, saying })),
    from: { run: 0, offset: 0 },
    to: { run: 0, offset: said.length },
    atBegin: true,
    atEnd: true,
  }
}

/** The rows of the conversation with `agentId`, written past the operations: messages to it, and its answered question. */
const insertTalk = (store: SqliteDatabase.Database, agentId: string, at: Instant): void => {
  const say = store.prepare(
    "INSERT INTO agent_messages (kind, agent_id, author, author_kind, body, delivery, status, reason, said_at, ended_at) VALUES ('say', ?, 'ada', 'agent', ?, 'now', 'refused', ?, ?, ?)",
  )
  say.run(agentId, hostile('saidword'), hostile('saidreason'), at, at)
  store
    .prepare(
      "INSERT INTO requests (kind, agent_id, status, tool, subject, input, asked_at, answer, answered_by, answered_at) VALUES ('permission', ?, 'denied', ?, ?, ?, ?, ?, 'bob', ?)",
    )
    .run(agentId, asked.tool, hostile('asked'), asked.input, at, hostile('verdict'), at)
}

/** A stopped race of task 4, whose racers are tasks 1 and 3: one of a hostile agent, and one that failed. */
const insertRace = (store: SqliteDatabase.Database, at: Instant): void => {
  store
    .prepare("INSERT INTO races (id, task_id, started_by, started_at, ended_at) VALUES (1, 4, 'human', ?, ?)")
    .run(at, at)
  const racer = store.prepare(
    'INSERT INTO racers (race_id, position, task_id, worktree, kind, model) VALUES (1, ?, ?, ?, ?, ?)',
  )
  racer.run(1, 1, 'pay', hostile('racerkind'), hostile('racermodel'))
  racer.run(2, 3, 'ready', hostile('racerkind'), null)
  store
    .prepare(
      "INSERT INTO radar_conflicts (worktree, other, with_target, worktree_tree, other_tree, files, uncommitted, began_at, told) VALUES ('pay', ?, 1, 'a', 'b', '[]', 0, ?, 1)",
    )
    .run(hostile('rival'), at)
}
