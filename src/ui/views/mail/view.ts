import { ours } from '../../../domain/words/safe-text.ts'
import { mailText } from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import type { ReadView } from '../../core/registry.ts'
import { shownKey } from '../../keys/bindings.ts'
import * as mailKeys from './mail.ts'

/** Messages of an agent to the person. */
// prettier-ignore
export const mail: ReadView<mailKeys.MailOverlay> = {
  kind: 'mail',
  about: { has: ({ kind }) => kind === 'mail', open: mailKeys.openMail },
  title: modeText.mail,
  manner: 'reading',
  keys: [{ id: 'mark-read', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: mailKeys.markRead }],
  also: ['say', 'next', 'inbox'],
  empty: {},
  dialog: true,
  content: mailKeys.mailSheet,
  answer: { line: (state) => ours(mailText.answer(shownKey(state, 'mark-read'), shownKey(state, 'say'))), ready: () => true },
  click: null,
  asks: () => true,
  subject: (_, { agentId }) => ({ agent: agentId }),
  shows: (_, { agentId }, item) => item.kind === 'mail' && item.agentId === agentId,
}
