import { changeTheme, whyNotTheme } from '../preferences/change-theme.ts'
import { lead, whyNotLead } from '../keys/dispatch.ts'
import { by, manners, type SharedRow } from '../core/registry.ts'
import { move, page, toFirst, toLast } from '../panes/movement.ts'
import { back, close } from '../core/overlays.ts'
import { rubOut, rubOutAll, rubOutWord } from '../keys/typing.ts'

/** The keys that views share, by their manner. */
// prettier-ignore
export const sharedRows: readonly SharedRow[] = [
  { id: 'quit', keys: ['q', 'ctrl-c'], shown: 'q', manners: ['reading', 'playing'], footer: true, press: (controller) => controller.quit() },
  { id: 'interrupt', keys: ['ctrl-c'], shown: 'ctrl-c', manners: ['choosing', 'asking', 'typing'], panes: false, press: (controller) => controller.quit() },

  { id: 'down', keys: ['j', 'down'], shown: 'j ↓', manners: ['reading'], press: by(move(1)) },
  { id: 'up', keys: ['k', 'up'], shown: 'k ↑', manners: ['reading'], press: by(move(-1)) },
  { id: 'first', keys: ['g', 'home'], shown: 'g', manners: ['reading'], press: by(toFirst) },
  { id: 'last', keys: ['G', 'end'], shown: 'G', manners: ['reading'], press: by(toLast) },
  { id: 'page-down', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', manners: ['reading'], press: by(page(1)) },
  { id: 'page-up', keys: ['page-up', 'ctrl-u'], shown: 'pgup', manners: ['reading'], press: by(page(-1)) },
  { id: 'back', keys: ['escape'], shown: 'esc', manners: ['reading', 'playing', 'choosing', 'typing'], press: by(back) },
  { id: 'close', keys: ['enter'], shown: 'enter', manners: [], panes: false, press: by(close) },

  { id: 'theme', keys: ['ctrl-t'], shown: 'ctrl-t', manners: ['reading'], blocked: whyNotTheme, press: changeTheme },
  { id: 'leader', keys: ['ctrl-x'], shown: 'ctrl-x', manners: ['reading', 'asking'], blocked: (state) => whyNotLead(state), press: (controller) => lead(controller) },

  { id: 'suspend', keys: ['ctrl-z'], shown: 'ctrl-z', manners, press: (controller) => controller.suspend() },
  { id: 'redraw', keys: ['ctrl-l'], shown: 'ctrl-l', manners, press: (controller) => controller.redraw() },

  { id: 'rub-out', keys: ['backspace'], shown: 'backspace', manners: ['typing'], panes: false, press: by(rubOut) },
  { id: 'rub-out-word', keys: ['ctrl-w'], shown: 'ctrl-w', manners: ['typing'], panes: false, press: by(rubOutWord) },
  { id: 'rub-out-all', keys: ['ctrl-u'], shown: 'ctrl-u', manners: ['typing'], panes: false, press: by(rubOutAll) },
]
