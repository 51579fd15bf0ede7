import type { BareRow } from '../key-words.ts'
import { optionKeys } from '../request.ts'
import * as inbox from './presses.ts'

// The rows of keys.ts that belong to what waits for a person.

// prettier-ignore
export const inboxRows: readonly BareRow[] = [
  { id: 'item-open', keys: ['enter'], shown: 'enter', modes: ['inbox'], footer: true, blocked: inbox.whyNotOpen, press: inbox.openHere },
  { id: 'item-yes', keys: ['y'], shown: 'y', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotYes, labelNow: inbox.yesNow, press: inbox.yes },
  { id: 'item-no', keys: ['n'], shown: 'n', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotNo, labelNow: inbox.noNow, press: inbox.no },
  { id: 'item-always', keys: ['a'], shown: 'a', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotAlways, labelNow: inbox.alwaysNow, press: inbox.always },
  { id: 'item-option', keys: optionKeys, shown: '1–9', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotOption, press: inbox.answerWithOption },
  { id: 'item-retry', keys: ['r'], shown: 'r', modes: ['inbox'], acts: true, footer: true, blocked: inbox.whyNotRetry, press: inbox.retry },
  { id: 'item-cancel', keys: ['x'], shown: 'x', modes: ['inbox'], answers: true, footer: true, blocked: inbox.whyNotCancel, press: inbox.cancel },
  { id: 'item-integrate', keys: ['i'], shown: 'i', modes: ['inbox'], footer: true, blocked: inbox.whyNotIntegrate, press: inbox.integrateHere },
  { id: 'item-mark', keys: [' '], shown: 'space', modes: ['inbox'], footer: true, blocked: inbox.whyNotMark, press: (desk) => desk.change(inbox.mark) },
  { id: 'item-alike', keys: ['*'], shown: '*', modes: ['inbox'], footer: true, blocked: inbox.whyNotMark, press: (desk) => desk.change(inbox.markAlike) },
]
