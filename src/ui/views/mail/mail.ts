import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { listMail, markMailRead } from '../../../operations/messages/inbox.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import type { Controller } from '../../core/controller.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { mailText } from '../../../text/inbox.ts'

// Messages of one agent to the person: read, marked as read, replied to.

export interface MailOverlay {
  readonly kind: 'mail'
  readonly agentId: string
  /** The unread messages at the time of opening: exactly these are marked as read. */
  readonly messages: readonly MessageView[]
  readonly top: number
}

/** Opens after the read, over the state that `before` returns. */
export const openMail = (controller: Controller, { agentId }: Attention, before: Transition = (state) => state): void =>
  controller.read(listMail, {}, (unread) => {
    const messages = unread.filter(({ author }) => author === agentId)
    if (messages.length === 0) return controller.tell(mailText.gone)
    controller.change((state) => open({ kind: 'mail', agentId: agentId!, messages, top: 0 })(before(state)))
  })

export const markRead = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'mail') return
  settle(
    controller,
    itemOf(controller.state(), { kind: 'mail', agentId: overlay.agentId }),
    mailText.did,
    markMailRead,
    { agentId: overlay.agentId, upTo: overlay.messages.at(-1)!.id },
    ({ read }) => mailText.isRead(read.length),
  )
}

export const mailSheet = (state: ConsoleState, { agentId, messages }: MailOverlay): SheetContent => {
  const width = widthIn(state)
  return sheetOfLines(safeText(mailText.title(agentId)), [
    ...paragraph(mailText.why, width),
    ...messages.flatMap(({ id, saidAt, sentTo, text }) => [
      ...heading(mailText.head(id, clockTime(saidAt), sentTo ?? '')),
      ...text.split('\n').flatMap((line) => verbatim(line, width)),
    ]),
    { text: ours('') },
  ])
}
