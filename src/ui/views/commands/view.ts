import type { Line } from '../../../../components/Lines.tsx'
import { fold } from '../../../../components/base/fit.ts'
import type { GitCommandView } from '../../../contracts/observations.ts'
import { ours, safeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { gitText } from '../../../text/history.ts'
import { modeText } from '../../../text/keys.ts'
import type { Controller } from '../../core/controller.ts'
import { open, replace, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import type { ConsoleState } from '../../core/state.ts'
import { widthIn } from '../../rows/lines.ts'

// The git commands that aiswarm ran, as a person would type them.

interface CommandsOverlay {
  readonly kind: 'commands'
  readonly commands: readonly GitCommandView[]
  readonly top: number
}

/** Opens at the latest command; pressed again it reloads. */
const openCommands = (controller: Controller): void => {
  const { outside } = controller.connection
  void outside.gitCommands().then(
    (commands) => {
      const overlay: CommandsOverlay = { kind: 'commands', commands, top: Number.MAX_SAFE_INTEGER }
      controller.change(controller.state().view.overlay?.kind === 'commands' ? replace(overlay) : open(overlay))
    },
    (error: unknown) => controller.tell(error instanceof Error ? error.message : String(error), 'refused'),
  )
}

const commandsSheet = (state: ConsoleState, { commands }: CommandsOverlay): SheetContent =>
  sheetOfLines(
    ours(gitText.title(commands.length)),
    commands.length === 0
      ? [{ text: ours(gitText.none), dim: true }]
      : commands.flatMap((one) => linesOf(one, widthIn(state), state)),
  )

// prettier-ignore
export const commands: ReadView<CommandsOverlay> = {
  kind: 'commands',
  title: modeText.commands,
  manner: 'reading',
  opens: [{ id: 'commands', keys: ['@'], shown: '@', press: openCommands }],
  keys: [],
  also: ['commands', 'close'],
  empty: {},
  content: commandsSheet,
  click: null,
}

const linesOf = (
  { at, folder, argv, exitCode, ms, said }: GitCommandView,
  width: number,
  state: ConsoleState,
): readonly Line[] => {
  const end = exitCode === 0 ? '✓' : exitCode === null ? gitText.ended : gitText.exit(exitCode)
  const line = `${clockTime(at)} ${String(ms).padStart(5)} ms  ${end.padEnd(7)} ${placeOf(folder, state)}git ${lineOf(argv)}`
  return [
    ...fold(ours(spelledOut(line).join(' ')), width).map((text, row): Line => ({
      text: row === 0 ? text : ours(`    ${text}`),
      ...(exitCode === 0 ? {} : { colour: 'yellow' }),
    })),
    ...(exitCode === 0 || said.trim() === ''
      ? []
      : [{ text: safeText(`                  ${said.slice(0, LONGEST).trim().split('\n')[0]!}`), dim: true }]),
  ]
}

/** Characters of one command that are shown. */
const LONGEST = 4000

const lineOf = (argv: readonly string[]): string => {
  const words: string[] = []
  for (let at = 0, length = 0; at < argv.length && length < LONGEST; at++) {
    const word = argv[at]!.slice(0, LONGEST)
    words.push(quoted(word), ...(word.length < argv[at]!.length ? ['…'] : []))
    length += word.length
  }
  return `${words.join(' ')}${words.length < argv.length ? ' …' : ''}`
}

/** The folder of a command, unless it is the main checkout. */
const placeOf = (folder: string, { board }: ConsoleState): string => {
  const worktree = board.worktrees.find(({ path }) => path === folder)
  return worktree ? `[${worktree.name}] ` : ''
}

const quoted = (argument: string): string =>
  /^[\w./:=@^{}~,+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
