import { modeText } from '../../../text/keys.ts'
import type { ReadView } from '../../core/registry.ts'
import { shownKey } from '../../keys/bindings.ts'
import {
  allow,
  always,
  answerWithOption,
  deny,
  denyInWords,
  denyNow,
  reply,
  shownRequest,
  whyNotAllow,
  whyNotAlways,
  whyNotDeny,
  whyNotDenyWords,
  whyNotOption,
  whyNotReply,
} from './keys.ts'
import { optionKeys } from '../../actions/requests.ts'
import { answersTo, requestSheet } from './lines.ts'

/** A request of an agent to a person. */
export interface RequestOverlay {
  readonly kind: 'request'
  readonly request: number
  readonly top: number
}

// prettier-ignore
export const request: ReadView<RequestOverlay> = {
  kind: 'request',
  title: modeText.request,
  manner: 'reading',
  keys: [
    { id: 'allow', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: whyNotAllow, press: allow },
    { id: 'deny', keys: ['n'], shown: 'n', writes: true, answers: true, footer: true, blocked: whyNotDeny, labelNow: denyNow, press: deny },
    { id: 'deny-words', keys: ['N'], shown: 'N', writes: true, footer: true, blocked: whyNotDenyWords, press: denyInWords },
    { id: 'always', keys: ['a'], shown: 'a', writes: true, answers: true, footer: true, blocked: whyNotAlways, press: always },
    { id: 'option', keys: optionKeys, shown: '1–9', writes: true, answers: true, footer: true, blocked: whyNotOption, press: answerWithOption },
    { id: 'reply', keys: ['enter'], shown: 'enter', writes: true, footer: true, blocked: whyNotReply, press: reply },
  ],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: (state, overlay) => requestSheet(state, overlay.request),
  answer: { line: (state) => answersTo(shownRequest(state), { reply: shownKey(state, 'reply'), words: shownKey(state, 'deny-words') }), ready: (state) => shownRequest(state)?.status === 'open' },
  click: null,
  asks: () => true,
  once: true,
  readyFirst: true,
  shows: (_, { request }, item) => request === item.requestId,
}
