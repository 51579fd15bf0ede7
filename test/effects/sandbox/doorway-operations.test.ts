import { dirname } from 'node:path'
import { expect, it, vi } from 'vitest'
import { doorwayOperations } from '../../../src/cli/doorway/list.ts'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { needs } from '../../support/needs.ts'
import { commit, openSwarm, read } from '../swarm.ts'

/** Command lines of a worker, in an order in which each finds what it needs; `$ME` is its id. */
const lines: readonly (readonly string[])[] = [
  [
    'status',
    'cost',
    'names tasks',
    'target show',
    'checkout show',
    'session list',
    'session show',
    'persona list',
    'persona show implementer',
    'request list --all',
  ],
  [
    'agent list --all',
    'agent show $ME',
    'agent logs $ME',
    'agent status session-20260101-000000 $ME',
    'agent say $ME hello --when turn',
    'agent messages $ME',
    'agent stop-turn $ME',
    'agent heartbeat $ME',
    'agent register other --persona implementer',
    'agent terminate other --reason "not needed"',
    'agent deregister other',
    'agent spawn --persona implementer --task 1 --once',
    'agent spawn --persona implementer --once --task 1 --task-mode',
  ],
  [
    'task add "A task" --persona implementer --priority 3 --criterion one --criterion two --depends "" --metadata \'{"a": null}\'',
    'task add bad --persona nobody',
    'task list',
    'task list --where "state:pending" --persona implementer',
    'task list --where "state:"',
    'task show 1',
    'task show x',
    'task show 999',
    'task tree --status pending',
    'task logs 1',
    'task history 1',
    'task edit 1 --priority 9 --budget none',
    'task retry 1',
    'task cancel 1 --reason why',
    'task budget 1',
    'task budget 1 --none',
    'task budget 1 --none --again',
    'task claim 1',
    'task start 1',
  ],
  [
    'task progress $TASK --note half --percent 50 --met 1',
    'task fail 999 --error broken',
    'task complete 999 --result \'{"tests": [1, null]}\'',
    'worktree list',
    'worktree show auth',
    'worktree diff auth',
    'worktree radar',
    'worktree create lamp --branch lamp',
    'worktree request auth',
  ],
  [
    'memory list',
    'memory write progress-$ME.md - < progress',
    'memory read progress-$ME.md',
    'memory write ../outside.md - < progress',
    'memory edit progress-$ME.md --old "in_progress" --new "completed"',
    'memory delete progress-$ME.md',
    'memory observation $ME The API answers in snake case',
    'memory observation other "not mine"',
    'memory observation $ME',
    'memory decision $ME "Use SQLite" "One file"',
    'memory blocker $ME "No access to the server"',
    'memory keyfact $ME "A fact" --key db --critical',
    'memory resolve-blocker $ME "the server" "Got an account"',
  ],
  [
    'memory plan $ME one two',
    'memory step $ME 2',
    'memory complete $ME task-7',
    'memory show $ME',
    'memory timeline "Verified" --note "All pass"',
    'memory log verification test=x status=PASSED',
    'memory handoff $ME other --file goal.md',
    "memory query 'Has ADR-008 been accepted?'",
    'memory adr list',
    'memory adr show ADR-001',
    'memory adr graph',
    'memory conversations search login',
    'memory executions search login --max-results 3',
  ],
  [
    '--help',
    'task --help',
    'task add --help',
    '--version',
    'task',
    'task list --nonsense',
    'task add --persona implementer',
  ],
]

/** The output of a script of these lines, as text and as JSON; names, times and places that differ are replaced. */
const printed = async (confined: boolean): Promise<readonly string[]> => {
  vi.stubEnv('AISWARM_SANDBOX', confined ? 'auto' : 'off')
  const swarm = await openSwarm()
  commit(await swarm.build('auth'), { 'goal.md': '# Goal\n\nGo on.\n', progress: '# Progress: implementer-1\n' })
  await act(swarm.connection, startSession, {})
  const said: string[] = []
  for (const group of lines.flatMap(inParts)) {
    const script = group
      .flatMap((line) => {
        const [words, input = ''] = line.split(' < ')
        const from = input === '' ? '< /dev/null' : `< ${input}`
        return [
          `aiswarm ${words} ${from}`,
          ...(/(?:task|agent|worktree) (?:list|show)|^memory read/.test(line)
            ? [`aiswarm ${words} --json ${from}`]
            : []),
        ]
      })
      .map((command) => `echo '> ${command.replaceAll("'", '"')}'; ${command}; echo "code $?"`)
    const task = await swarm.carryOut(`exec 2>&1; ME=$AISWARM_AGENT_ID TASK=$AISWARM_TASK_ID\n${script.join('\n')}`, {
      targetWorktree: 'auth',
    })
    said.push(...plain(read(outputPath(swarm.root, task.attempts.at(-1)!.agentId)), swarm.root))
  }
  return said
}

/** A run ends within a minute, also on a machine that does other work. */
const inParts = (group: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(group.length / MOST) }, (_, part) => group.slice(part * MOST, (part + 1) * MOST))

const MOST = 8

const plain = (text: string, root: string): readonly string[] =>
  text
    .replaceAll(dirname(root), '/folder')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replace(/\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?( UTC)?/g, 'TIME')
    .replace(/session-\d{8}-\d{6}/g, 'SESSION')
    .replace(/\b[0-9a-f]{40}\b|\b[0-9a-f]{7,9}\b/g, 'COMMIT')
    .replace(/\d{2}:\d{2}:\d{2}/g, 'TIME')
    .replace(/\b\d{4,}\b/g, 'NUMBER')
    .replace(/\b\d+(\.\d+)?\s?(ms|s|KB|MB|B|bytes)\b/g, 'AMOUNT')
    .replace(/"(sizeBytes|lastOutput|pid|size|createdAt|since)":[^,}]+/g, '"$1":0')
    .replace(/[\w-]{32}(?=\s|"|$)/g, 'TOKEN')
    .replace(/"unconfined":("[^"]*"|null)/g, '"unconfined":null')
    .replace(/  +/g, '  ')
    .split('\n')

it(
  'every operation of the list answers a program in a sandbox as the command line answers outside',
  { timeout: 600_000 },
  async (context) => {
    needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
    const named = lines.flat()
    expect(
      [...doorwayOperations.keys()].filter(
        (name) => name !== 'doctor' && !named.some((line) => line === name || line.startsWith(`${name} `)),
      ),
    ).toEqual([])
    const [inside, outside] = [await printed(true), await printed(false)]
    vi.unstubAllEnvs()
    expect(inside).toEqual(outside)
  },
)
