import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { listMail, markMailRead } from '../../../operations/messages/inbox.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { mailText } from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { shownKey } from '../../keys/bindings.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'

// Messages of one agent to the person: read, marked as read, replied to.

interface MailOverlay {
  readonly kind: 'mail'
  readonly agentId: string
  /** The unread messages at the time of opening: exactly these are marked as read. */
  readonly messages: readonly MessageView[]
  readonly top: number
}

/** Opens after the read, over the state that `before` returns. */
const openMail = (controller: Controller, { agentId }: Attention, before: Transition = (state) => state): void =>
  controller.read(listMail, {}, (unread) => {
    const messages = unread.filter(({ author }) => author === agentId)
    if (messages.length === 0) return controller.tell(mailText.gone)
    controller.change((state) => open({ kind: 'mail', agentId: agentId!, messages, top: 0 })(before(state)))
  })

const markRead = (controller: Controller): void => {
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

const mailSheet = (state: ConsoleState, { agentId, messages }: MailOverlay): SheetContent => {
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

/** Messages of an agent to the person. */
// prettier-ignore
export const mail: ReadView<MailOverlay> = {
  kind: 'mail',
  about: { has: ({ kind }) => kind === 'mail', open: openMail },
  title: modeText.mail,
  manner: 'reading',
  keys: [{ id: 'mark-read', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: markRead }],
  also: ['say', 'next', 'inbox'],
  empty: {},
  dialog: true,
  content: mailSheet,
  answer: { line: (state) => ours(mailText.answer(shownKey(state, 'mark-read'), shownKey(state, 'say'))), ready: () => true },
  click: null,
  asks: () => true,
  subject: (_, { agentId }) => ({ agent: agentId }),
  shows: (_, { agentId }, item) => item.kind === 'mail' && item.agentId === agentId,
}
