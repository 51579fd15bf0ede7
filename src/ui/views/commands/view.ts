import { modeText } from '../../../text/keys.ts'
import type { ReadView } from '../../core/registry.ts'
import { type CommandsOverlay, commandsSheet, openCommands } from './lines.ts'

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
