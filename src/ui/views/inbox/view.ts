import { modeText } from '../../../text/keys.ts'
import { optionKeys } from '../../actions/requests.ts'
import type { DrawnView } from '../../core/registry.ts'
import * as inboxAnswers from './answers.ts'
import {
  cameFrom,
  clickInbox,
  inboxNotice,
  type InboxOverlay,
  itemsThatFit,
  mark,
  markAlike,
  moveInInbox,
  type Settled,
  showsInInbox,
  toItem,
  toNextItem,
} from './inbox.ts'
import { inboxHeight } from './lines.ts'

// The inbox: everything that waits for a person.

interface InboxContents {
  /** Items answered here in the last minute. */
  readonly settled: readonly Settled[]
}

/** All inbox items. */
// prettier-ignore
export const inbox: DrawnView<InboxOverlay, InboxContents> = {
  kind: 'inbox',
  title: modeText.inbox,
  manner: 'reading',
  opens: [{ id: 'inbox', keys: ['W'], shown: 'W', blocked: inboxAnswers.whyNotInbox, press: (controller) => inboxAnswers.openInbox(controller) }],
  keys: [
    { id: 'item-open', keys: ['enter'], shown: 'enter', footer: true, blocked: inboxAnswers.whyNotOpen, press: inboxAnswers.openHere },
    { id: 'item-yes', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: inboxAnswers.whyNotYes, labelNow: inboxAnswers.yesNow, press: inboxAnswers.yes },
    { id: 'item-no', keys: ['n'], shown: 'n', writes: true, answers: true, footer: true, blocked: inboxAnswers.whyNotNo, labelNow: inboxAnswers.noNow, press: inboxAnswers.no },
    { id: 'item-always', keys: ['a'], shown: 'a', writes: true, answers: true, footer: true, blocked: inboxAnswers.whyNotAlways, labelNow: inboxAnswers.alwaysNow, press: inboxAnswers.always },
    { id: 'item-option', keys: optionKeys, shown: '1–9', writes: true, answers: true, footer: true, blocked: inboxAnswers.whyNotOption, press: inboxAnswers.answerWithOption },
    { id: 'item-retry', keys: ['r'], shown: 'r', writes: true, acts: true, footer: true, blocked: inboxAnswers.whyNotRetry, press: inboxAnswers.retry },
    { id: 'item-cancel', keys: ['x'], shown: 'x', writes: true, answers: true, footer: true, blocked: inboxAnswers.whyNotCancel, press: inboxAnswers.cancel },
    { id: 'item-integrate', keys: ['i'], shown: 'i', writes: true, footer: true, blocked: inboxAnswers.whyNotIntegrate, press: inboxAnswers.integrateHere },
    { id: 'item-mark', keys: [' '], shown: 'space', footer: true, blocked: inboxAnswers.whyNotMark, press: (controller) => controller.change(mark) },
    { id: 'item-alike', keys: ['*'], shown: '*', footer: true, blocked: inboxAnswers.whyNotMark, press: (controller) => controller.change(markAlike) },
  ],
  empty: { settled: [] },
  drawn: true,
  notice: (_, body) => inboxNotice(body),
  scroll: moveInInbox,
  page: itemsThatFit,
  tall: inboxHeight,
  click: clickInbox,
  // The question is the selected item, which has its own protection.
  covered: true,
  readyFirst: true,
  pressed: cameFrom,
  queue: { next: toNextItem, at: toItem },
  shows: showsInInbox,
}
