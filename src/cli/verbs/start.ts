import type * as clack from '@clack/prompts'
import type { StartAnswers, StartProposal } from '../../contracts/first-start.ts'
import { someOf } from '../../domain/words/counts.ts'
import { safeLine, safeText } from '../../domain/words/safe-text.ts'
import type { Services } from '../call/services.ts'
import { folded } from '../print/columns.ts'

// The first start: the questions on the terminal, their sentences, and what a person confirms.

/** Asks on the terminal of this process, and writes what the person confirms. */
export const startHere = async (
  proposal: StartProposal,
  { configurationFor, initialise }: Pick<Services, 'configurationFor' | 'initialise'>,
  options: { readonly bmad?: boolean } = {},
): Promise<{ readonly asked: Asked; readonly made: readonly string[] }> => {
  let made: readonly string[] = []
  const asked = await askFirstStart(proposal, {
    input: process.stdin,
    output: process.stdout,
    preview: configurationFor,
    write: async (answers) => void (made = await initialise(proposal.root, { ...options, answers })),
  })
  return { asked, made }
}

/** The terminal on which the questions are asked. */
interface Asking {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** The content of the file for these answers. */
  readonly preview: (answers: StartAnswers) => Promise<string>
  readonly write: (answers: StartAnswers) => Promise<void>
}

/** The answers; `skipped` if the person wants no file now, `left` if they pressed Ctrl-C. */
export type Asked = StartAnswers | 'skipped' | 'left'

/**
 * Asks for the target branch, the verification and the agent, each only if there is a choice, and shows the file before
 * it is written. Esc skips everything.
 */
export const askFirstStart = async (
  proposal: StartProposal,
  { input, output, preview, write }: Asking,
): Promise<Asked> => {
  const prompts = await import('@clack/prompts')
  const on = { input, output }
  let left = false
  const onKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined): void => {
    left ||= key?.ctrl === true && key.name === 'c'
  }
  input.on('keypress', onKey)
  try {
    prompts.intro(startText.title(safeText(proposal.root)), on)
    const answers = await answersTo(prompts, proposal, on)
    if (answers !== undefined) {
      prompts.note(keysIn(await preview(answers)), startText.file(safeText(proposal.path)), on)
      const written = await prompts.confirm({
        ...on,
        message: startText.write,
        active: startText.yes,
        inactive: startText.no,
      })
      if (written === true) {
        await write(answers)
        prompts.outro(startText.written(safeText(answers.target), answers.verify !== ''), on)
        return answers
      }
    }
    prompts.cancel(startText.skipped, on)
    return left ? 'left' : 'skipped'
  } finally {
    input.off('keypress', onKey)
  }
}

/** The answers of a person who takes every proposal. */
export const proposedAnswers = ({ targets, verifications, agents }: StartProposal): StartAnswers => ({
  target: targets[0]!,
  verify: verifications[0]?.command ?? '',
  setup: verifications[0]?.setup ?? '',
  agent: agents[0]?.kind ?? null,
})

/** The keys of the file without its comments, so that a small terminal has room for them. */
const keysIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .map((line) => safeLine(line.replace(/ +# .*$/, '')))
    .join('\n')

type Clack = typeof clack
type On = Pick<Asking, 'input' | 'output'>

/** Undefined if the person pressed Esc or Ctrl-C. */
const answersTo = async (prompts: Clack, proposal: StartProposal, on: On): Promise<StartAnswers | undefined> => {
  const target = await targetFor(prompts, proposal, on)
  if (target === undefined) return undefined
  const verification = await verificationFor(prompts, proposal, on)
  if (verification === undefined) return undefined
  const agent = await agentFor(prompts, proposal, on)
  return agent === undefined ? undefined : { target, ...verification, agent: agent === '' ? null : agent }
}

const targetFor = async (prompts: Clack, { targets }: StartProposal, on: On): Promise<string | undefined> => {
  if (targets.length === 1) {
    prompts.log.info(startText.onlyTarget(safeText(targets[0]!)), { ...on, output: on.output })
    return targets[0]
  }
  const chosen = await prompts.select({
    ...on,
    message: startText.target,
    options: targets.map((name) => ({ value: name, label: safeText(name) })),
    maxItems: 8,
  })
  return typeof chosen === 'string' ? chosen : undefined
}

const verificationFor = async (
  prompts: Clack,
  { verifications }: StartProposal,
  on: On,
): Promise<Pick<StartAnswers, 'verify' | 'setup'> | undefined> => {
  const chosen = await prompts.select({
    ...on,
    message: startText.verify,
    options: [
      ...verifications.map(({ command, setup, from }) => ({
        value: command,
        label: safeText(command),
        hint: setup === '' ? from : startText.withSetup(from, setup),
      })),
      ...(verifications.length > 0 ? [other, nothing] : [nothing, other]),
    ],
  })
  if (typeof chosen !== 'string') return undefined
  if (chosen !== OTHER)
    return { verify: chosen, setup: verifications.find((one) => one.command === chosen)?.setup ?? '' }
  const typed = await prompts.text({ ...on, message: startText.command, placeholder: 'npm test' })
  return typeof typed === 'string' ? { verify: typed.trim(), setup: '' } : undefined
}

/** No proposal contains a line break. */
const OTHER = '\n'

/** The sentences of the first start. */
const startText = {
  title: (root: string) => `aiswarm in ${root}`,
  target: 'Which branch is approved work merged into?',
  onlyTarget: (branch: string) => `Approved work is merged into ${branch}, the only branch.`,
  verify: 'Which command must a merge pass?',
  withSetup: (from: string, setup: string) => `${from}; ${setup} prepares a worktree`,
  other: 'Another command…',
  nothing: 'None',
  nothingHint: 'you can set it later',
  command: 'The shell command',
  agent: 'Which agent does the tasks?',
  login: (loggedIn: boolean) => (loggedIn ? 'logged in' : 'no login found'),
  onlyAgent: (kind: string, loggedIn: boolean) =>
    loggedIn ? `${kind} does the tasks.` : `${kind} does the tasks; no login was found, so log in before you begin.`,
  noAgent: (kinds: readonly string[]) =>
    `No agent CLI was found (${someOf(kinds, 6)}). Tasks with a command run without one; 'aiswarm doctor' says how to install one.`,
  file: (path: string) => `${path} (other keys follow as comments)`,
  write: 'Write this file?',
  yes: 'Yes',
  no: 'No, skip it',
  written: (target: string, verifies: boolean) =>
    verifies ? `Written. Commit it on ${target}, so that the verification counts.` : 'Written.',
  skipped: "Skipped: nothing is written. 'aiswarm init' asks again.",
} as const

const other = { value: OTHER, label: startText.other }
const nothing = { value: '', label: startText.nothing, hint: startText.nothingHint }

/** Folded to the terminal, which would break words: a sign and two blanks precede each line. */
const foldedFor = ({ output }: On, text: string): string => folded(text, Math.max(20, (output.columns || 80) - 4))

/** '' if no agent is installed. */
const agentFor = async (prompts: Clack, { agents, missing }: StartProposal, on: On): Promise<string | undefined> => {
  const [first] = agents
  if (first === undefined) {
    prompts.log.warn(foldedFor(on, startText.noAgent(missing)), { ...on, output: on.output })
    return ''
  }
  if (agents.length === 1) {
    prompts.log.info(startText.onlyAgent(first.kind, first.loggedIn), { ...on, output: on.output })
    return first.kind
  }
  const chosen = await prompts.select({
    ...on,
    message: startText.agent,
    options: agents.map(({ kind, loggedIn }) => ({ value: kind, label: kind, hint: startText.login(loggedIn) })),
  })
  return typeof chosen === 'string' ? chosen : undefined
}
