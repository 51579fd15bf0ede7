import type Database from 'better-sqlite3'
import type { Saying, TalkPiece } from '../../../src/contracts/conversation.ts'
import type { Instant } from '../../../src/domain/words/time.ts'
import { agentName, hostile } from './families.ts'

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
export const hostileTalk = (): TalkPiece => {
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
export const insertTalk = (store: Database.Database, agentId: string, at: Instant): void => {
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
export const insertRace = (store: Database.Database, at: Instant): void => {
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
