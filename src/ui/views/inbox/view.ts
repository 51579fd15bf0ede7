import { modeText } from '../../../text/keys.ts'
import type { DrawnView } from '../../core/registry.ts'
import { inboxHeight } from './lines.ts'
import { inboxNotice, itemsThatFit, showsInInbox } from './list.ts'
import { clickInbox, cameFrom, moveInInbox, toItem, toNextItem } from './movement.ts'
import * as inboxKeys from './keys.ts'
import { mark, markAlike } from './marks.ts'
import * as inboxReasons from './reasons.ts'
import type { InboxOverlay, Settled } from './state.ts'
import { optionKeys } from '../../actions/requests.ts'

export interface InboxContents {
  /** Items answered here in the last minute. */
  readonly settled: readonly Settled[]
}

/** All inbox items. */
// prettier-ignore
export const inbox: DrawnView<InboxOverlay, InboxContents> = {
  kind: 'inbox',
  title: modeText.inbox,
  manner: 'reading',
  opens: [{ id: 'inbox', keys: ['W'], shown: 'W', blocked: inboxReasons.whyNotInbox, press: (controller) => inboxKeys.openInbox(controller) }],
  keys: [
    { id: 'item-open', keys: ['enter'], shown: 'enter', footer: true, blocked: inboxReasons.whyNotOpen, press: inboxKeys.openHere },
    { id: 'item-yes', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, blocked: inboxReasons.whyNotYes, labelNow: inboxReasons.yesNow, press: inboxKeys.yes },
    { id: 'item-no', keys: ['n'], shown: 'n', writes: true, answers: true, footer: true, blocked: inboxReasons.whyNotNo, labelNow: inboxReasons.noNow, press: inboxKeys.no },
    { id: 'item-always', keys: ['a'], shown: 'a', writes: true, answers: true, footer: true, blocked: inboxReasons.whyNotAlways, labelNow: inboxReasons.alwaysNow, press: inboxKeys.always },
    { id: 'item-option', keys: optionKeys, shown: '1–9', writes: true, answers: true, footer: true, blocked: inboxReasons.whyNotOption, press: inboxKeys.answerWithOption },
    { id: 'item-retry', keys: ['r'], shown: 'r', writes: true, acts: true, footer: true, blocked: inboxReasons.whyNotRetry, press: inboxKeys.retry },
    { id: 'item-cancel', keys: ['x'], shown: 'x', writes: true, answers: true, footer: true, blocked: inboxReasons.whyNotCancel, press: inboxKeys.cancel },
    { id: 'item-integrate', keys: ['i'], shown: 'i', writes: true, footer: true, blocked: inboxReasons.whyNotIntegrate, press: inboxKeys.integrateHere },
    { id: 'item-mark', keys: [' '], shown: 'space', footer: true, blocked: inboxReasons.whyNotMark, press: (controller) => controller.change(mark) },
    { id: 'item-alike', keys: ['*'], shown: '*', footer: true, blocked: inboxReasons.whyNotMark, press: (controller) => controller.change(markAlike) },
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
