import type * as clack from '@clack/prompts'
import { safeLine, safeText } from '../../../domain/words/safe-text.ts'
import type { StartAnswers, StartProposal } from '../../../contracts/first-start.ts'
import { folded } from '../../print/columns.ts'
import { startText as words } from './words.ts'

/** The terminal on which the questions are asked. */
export interface Asking {
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
    prompts.intro(words.title(safeText(proposal.root)), on)
    const answers = await answersTo(prompts, proposal, on)
    if (answers !== undefined) {
      prompts.note(keysIn(await preview(answers)), words.file(safeText(proposal.path)), on)
      const written = await prompts.confirm({ ...on, message: words.write, active: words.yes, inactive: words.no })
      if (written === true) {
        await write(answers)
        prompts.outro(words.written(safeText(answers.target), answers.verify !== ''), on)
        return answers
      }
    }
    prompts.cancel(words.skipped, on)
    return left ? 'left' : 'skipped'
  } finally {
    input.off('keypress', onKey)
  }
}

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
    prompts.log.info(words.onlyTarget(safeText(targets[0]!)), { ...on, output: on.output })
    return targets[0]
  }
  const chosen = await prompts.select({
    ...on,
    message: words.target,
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
    message: words.verify,
    options: [
      ...verifications.map(({ command, setup, from }) => ({
        value: command,
        label: safeText(command),
        hint: setup === '' ? from : words.withSetup(from, setup),
      })),
      ...(verifications.length > 0 ? [other, nothing] : [nothing, other]),
    ],
  })
  if (typeof chosen !== 'string') return undefined
  if (chosen !== OTHER)
    return { verify: chosen, setup: verifications.find((one) => one.command === chosen)?.setup ?? '' }
  const typed = await prompts.text({ ...on, message: words.command, placeholder: 'npm test' })
  return typeof typed === 'string' ? { verify: typed.trim(), setup: '' } : undefined
}

/** No proposal contains a line break. */
const OTHER = '\n'
const other = { value: OTHER, label: words.other }
const nothing = { value: '', label: words.nothing, hint: words.nothingHint }

/** Folded to the terminal, which would break words: a sign and two blanks precede each line. */
const foldedFor = ({ output }: On, text: string): string => folded(text, Math.max(20, (output.columns || 80) - 4))

/** '' if no agent is installed. */
const agentFor = async (prompts: Clack, { agents, missing }: StartProposal, on: On): Promise<string | undefined> => {
  const [first] = agents
  if (first === undefined) {
    prompts.log.warn(foldedFor(on, words.noAgent(missing)), { ...on, output: on.output })
    return ''
  }
  if (agents.length === 1) {
    prompts.log.info(words.onlyAgent(first.kind, first.loggedIn), { ...on, output: on.output })
    return first.kind
  }
  const chosen = await prompts.select({
    ...on,
    message: words.agent,
    options: agents.map(({ kind, loggedIn }) => ({ value: kind, label: kind, hint: words.login(loggedIn) })),
  })
  return typeof chosen === 'string' ? chosen : undefined
}
