import { modeText } from '../../../text/keys.ts'
import { by, type DrawnView } from '../../core/registry.ts'
import { heightIn, open } from '../../core/overlays.ts'
import { startPastFeed } from './feed.ts'
import {
  fromNow,
  leapInPast,
  noPast,
  type PastContents,
  type PastOverlay,
  pastPaneUnder,
  scrollPast,
  stepInPast,
  togglePlay,
  turnPast,
  turnPastTo,
} from './past.ts'
import type { ConsoleState } from '../../core/state.ts'

/** The session at a past moment. No key acts here, because the past cannot be changed. */
// prettier-ignore
export const past: DrawnView<PastOverlay, { readonly past: PastContents }> = {
  kind: 'past',
  title: modeText.past,
  manner: 'playing',
  opens: [{ id: 'past', keys: ['T'], shown: 'T', press: by(open(fromNow)) }],
  keys: [
    { id: 'later', keys: ['right', 'l'], shown: 'l →', footer: true, press: by(stepInPast(1)) },
    { id: 'earlier', keys: ['left', 'h'], shown: 'h ←', footer: true, press: by(stepInPast(-1)) },
    { id: 'past-pane', keys: ['tab'], shown: 'tab', footer: true, press: by(turnPast) },
    { id: 'past-play', keys: [' '], shown: 'space', footer: true, press: by(togglePlay) },
    { id: 'ten-later', keys: ['shift-right', 'L'], shown: 'L', press: by(stepInPast(10)) },
    { id: 'ten-earlier', keys: ['shift-left', 'H'], shown: 'H', press: by(stepInPast(-10)) },
    { id: 'leap-later', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', footer: true, press: by(leapInPast(1)) },
    { id: 'leap-earlier', keys: ['page-up', 'ctrl-u'], shown: 'pgup', press: by(leapInPast(-1)) },
    { id: 'past-begin', keys: ['g', 'home'], shown: 'g', footer: true, press: by(stepInPast(-Infinity)) },
    { id: 'past-end', keys: ['G', 'end'], shown: 'G', footer: true, press: by(stepInPast(Infinity)) },
    { id: 'past-down', keys: ['j', 'down'], shown: 'j ↓', press: by(scrollPast(1)) },
    { id: 'past-up', keys: ['k', 'up'], shown: 'k ↑', press: by(scrollPast(-1)) },
  ],
  empty: { past: noPast },
  feed: startPastFeed,
  drawn: true,
  scroll: (state, _, lines) => scrollPast(lines)(state),
  click: (state, overlay, line) => turnedTo(state, overlay, line + 1),
  wheel: (state, overlay, lines, line) => scrollPast(lines)(turnedTo(state, overlay, line)),
}

/** Turns to the pane on that line; elsewhere nothing changes. */
const turnedTo = (state: ConsoleState, overlay: PastOverlay, line: number): ConsoleState => {
  const pane = pastPaneUnder(state, overlay, heightIn(state, overlay), line)
  return pane === undefined ? state : turnPastTo(pane)(state)
}
