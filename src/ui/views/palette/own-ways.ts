import { whyNotApprove } from '../../../domain/integration/integration.ts'
import type { CommandValues } from '../../../contracts/console.ts'
import { integrate, isUnderWay } from '../../actions/integration.ts'
import type { Controller } from '../../core/controller.ts'
import { answerForm } from '../../actions/requests.ts'
import { discardForm } from '../../actions/discard.ts'
import { openItem } from '../../actions/open-item.ts'
import { selectWorktree } from '../../panes/movement.ts'
import { closeAll, open, replace } from '../../core/overlays.ts'
import { worktreeOf } from '../../core/selection.ts'
import { paletteText } from '../../../text/palette.ts'
import { guardText } from '../../../text/inbox.ts'

/** Commands for which the console shows more than one line before it asks. */
export const ownWays: Readonly<Record<string, (controller: Controller, values: CommandValues) => void>> = {
  'worktree approve': (controller, { name = '' }) => {
    // As in a shell, an integration that was not requested is not requested here.
    const status = worktreeOf(controller.state(), name)?.integration?.status
    const why =
      worktreeOf(controller.state(), name) && !(status && isUnderWay(status)) ? whyNotApprove(name, status) : undefined
    if (why !== undefined) return controller.tell(why, 'refused')
    onWorktree(controller, name, () => integrate(controller))
  },
  'worktree discard': (controller, { name = '', reason = '' }) =>
    onWorktree(controller, name, () => {
      const form = discardForm(name)
      controller.change(
        open({ kind: 'form', form: { ...form, fields: form.fields.map((field) => ({ ...field, value: reason })) } }),
      )
    }),
  'worktree trust': (controller, { host }) => {
    controller.change(closeAll)
    const changed = controller
      .state()
      .board.attention.find((item) => item.kind === 'configuration' && (host === undefined || item.host === host))
    if (changed) openItem(controller, changed)
    else controller.tell(guardText.unchanged, 'refused')
  },
  'request answer': (controller, { id = '', words }) => {
    const request = controller.state().board.requests.find((one) => one.id === Number(id))
    if (!request) return controller.tell(paletteText.noRequest(id), 'refused')
    controller.change(replace({ kind: 'request', request: request.id, top: 0 }))
    if (words === undefined || request.kind !== 'question') return
    const form = answerForm(request)
    controller.change(
      open({
        kind: 'form',
        form: {
          ...form,
          fields: form.fields.map((field) => (field.key === 'words' ? { ...field, value: words } : field)),
        },
      }),
    )
  },
}

const onWorktree = (controller: Controller, name: string, next: () => void): void => {
  if (!worktreeOf(controller.state(), name)) return controller.tell(paletteText.noWorktree(name), 'refused')
  controller.change(closeAll)
  controller.change(selectWorktree(name))
  next()
}
