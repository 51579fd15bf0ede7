import { join, resolve } from 'node:path'
import { safeLine, safeText, spelledOut } from '../../domain/words/safe-text.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { StartProposal } from '../../contracts/first-start.ts'
import { type Answer, type Call, type Command, does, exitCodes, given, open, saidAll } from '../call/command.ts'
import { whyNoScreen } from '../call/screen.ts'
import type { RunSummary } from '../call/services.ts'
import { counted } from '../print/columns.ts'
import { count, labels, text } from '../call/values.ts'
import { flag, option } from '../call/words.ts'

/** Commands that run for a while: the console, the demo, the headless supervisor; and those that prepare them. */
export const consoleCommands: readonly Command[] = [
  does({
    path: 'tui',
    summary: 'Open the console; this is what aiswarm does without a command',
    words: {},
    run: async (_, call) => {
      refuseWithoutTerminal(call)
      await call.services.openConsole(call.root)
      return saidAll
    },
    example: 'tui',
  }),
  does({
    path: 'init',
    summary:
      'Create .aiswarm/ with configuration, personas and database; on a terminal it asks first; existing files stay unchanged',
    words: {
      bmad: flag('--bmad', 'Also create .bmad-core/utils/persist-memory-cli.js, which stores working memories'),
      memory: flag('--memory', 'Also create the folders and files of project memory'),
      yes: flag('--yes', 'Ask nothing: take the proposed branch, verification and agent'),
      dryRun: flag('--dry-run', 'Print the configuration that --yes would write, but write nothing'),
      store: option('--store', 'URL', 'Begin the board on PostgreSQL, as postgresql://user@host/database', text),
      passwordCommand: option('--password-command', 'CMD', 'A shell command that prints its password', text),
    },
    run: async ({ bmad, memory, yes, dryRun, store, passwordCommand }, call) => {
      const { initProjectMemory, projectOf } = await import('../verbs/project-memory-index.ts')
      const { proposedAnswers, startHere } = await import('../verbs/start.ts')
      const proposal = await call.services.proposeStart(call.root)
      const answers = yes || dryRun ? proposedAnswers(proposal) : undefined
      if (dryRun) return wouldWrite(proposal, await call.services.configurationFor(answers!))
      if (store === undefined && passwordCommand !== undefined)
        throw new Refusal('invalid_input', 'The password is for a server: name it with --store URL.')
      // First of all: if the server is refused, nothing has been written.
      const named = store === undefined ? [] : await call.services.nameStore(call.root, { url: store, passwordCommand })
      const here =
        !proposal.configured && !yes && canAsk(call) ? await startHere(proposal, call.services, { bmad }) : undefined
      if (here?.asked === 'skipped' || here?.asked === 'left') return saidAll
      const made = here?.made ?? (await call.services.initialise(call.root, { bmad, ...given('answers', answers) }))
      const { core } = await open(call)
      const created = [
        ...named,
        ...made,
        ...(memory ? initProjectMemory((await projectOf(call)).place).map((path) => join(core.root, path)) : []),
      ]
      return {
        json: { root: core.root, created, database: core.store.path },
        text:
          created.length === 0
            ? `${core.root} is ready; nothing was missing.`
            : `${core.root} is ready. Created:\n${created.map((path) => `  ${path}`).join('\n')}`,
      }
    },
    example: 'init --yes',
  }),
  does({
    path: 'demo',
    summary: 'Show aiswarm at work in a demo repository; its agents are shell commands',
    words: {},
    run: async (_, call) => {
      const code = await call.services.demo({ json: call.json, line: sayOn(call) })
      return { json: { exitCode: code }, text: '', code }
    },
    example: 'demo',
  }),
  does({
    path: 'run',
    summary: 'Run the tasks without a screen, until Ctrl-C or until no task can continue',
    words: {
      untilIdle: flag('--until-idle', 'Exit when no task can continue; exit code 3 if tasks failed or are waiting'),
      maxParallel: option('--max-parallel', 'N', 'Agents that run at the same time (default: as configured, 3)', count),
      report: option('--report', 'FILE', "Write a JUnit report of the session's tasks at the end", text),
    },
    run: async ({ untilIdle, maxParallel, report }, call) => {
      const options = {
        untilIdle,
        maxParallel: maxParallel ?? null,
        report: report === undefined ? null : resolve(report),
        line: sayOn(call),
      }
      const summary = await call.services.supervise(call.root, options)
      return {
        json: summary,
        text: summaryText(summary),
        code: untilIdle && isUnsettled(summary) ? exitCodes.unsettled : exitCodes.done,
      }
    },
    example: 'run --until-idle --max-parallel 2',
  }),
  does({
    path: 'worker',
    summary: 'Run the agents of this host of a board on PostgreSQL, without a screen, until Ctrl-C',
    words: {
      maxParallel: option('--max-parallel', 'N', 'Agents that run at the same time on this host', count),
      labels: option('--labels', 'L,L', 'What this host is called from now on, separated by commas', labels),
      once: flag('--once', 'Exit when nothing runs on this host and nothing waits for it'),
    },
    run: async ({ maxParallel, labels, once }, call) => {
      await call.services.work(call.root, {
        ...{ once, line: sayOn(call) },
        ...given('maxHere', maxParallel),
        ...given('labels', labels),
      })
      return { json: { ended: true, once }, text: `The worker has ended${once ? '.' : '; its agents continue.'}` }
    },
    example: 'worker --max-parallel 4',
  }),
]

/** Questions are for a person: never for a script or an agent, and with --json the streams belong to the value. */
const canAsk = ({ streams, environment, json }: Call): boolean =>
  !json && streams.stdinIsTerminal && streams.stdoutIsTerminal && !environment['AISWARM_AGENT_ID']

const wouldWrite = ({ path, configured }: StartProposal, content: string): Answer => ({
  json: { path, content: configured ? null : content },
  text: configured
    ? `${path} exists; nothing would be written.`
    : `${path} would be:\n${spelledOut(content).join('\n').trimEnd()}`,
})

const refuseWithoutTerminal = ({ streams, environment }: Call): void => {
  const refusal = whyNoScreen(streams.stdinIsTerminal && streams.stdoutIsTerminal, environment)
  if (refusal) throw refusal
}

/** With --json, standard output is for the result only. */
const sayOn =
  ({ json, streams }: Call) =>
  (text: string): void =>
    (json ? streams.err : streams.out)(`${safeLine(text)}\n`)

const isUnsettled = ({ failed, waiting, stuck }: RunSummary): boolean =>
  failed.length > 0 || waiting.length > 0 || stuck.length > 0

const summaryText = ({ completed, cancelled, failed, waiting, stuck }: RunSummary): string =>
  [
    `${counted(completed, 'task')} completed${cancelled === 0 ? '' : `, ${cancelled} cancelled`}${failed.length === 0 ? '' : `, ${failed.length} failed (${failed.join(', ')})`}.`,
    ...waiting.map(({ taskId, why }) => safeText(`Task ${taskId} waits: ${why}`)),
    ...stuck.map(({ worktree, why }) =>
      safeText(
        `Worktree ${worktree} is stuck: ${why}. 'aiswarm worktree show ${worktree}' shows details. Run again to continue.`,
      ),
    ),
  ].join('\n')
