import type { BareRow } from '../key-words.ts'
import type { Desk } from '../desk.ts'
import { open } from '../overlays.ts'
import { leapInPast, scrollPast, stepInPast, togglePlay, turnPast } from './movement.ts'
import { fromNow } from './state.ts'

export const openPast = (desk: Desk): void => desk.change(open(fromNow))

// The rows of keys.ts that belong to the timeline. Nothing here acts: the past cannot be changed.

// prettier-ignore
export const pastRows: readonly BareRow[] = [
  { id: 'later', keys: ['right', 'l'], shown: 'l →', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(1)) },
  { id: 'earlier', keys: ['left', 'h'], shown: 'h ←', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(-1)) },
  { id: 'past-pane', keys: ['tab'], shown: 'tab', modes: ['past'], footer: true, press: (desk) => desk.change(turnPast) },
  { id: 'past-play', keys: [' '], shown: 'space', modes: ['past'], footer: true, press: (desk) => desk.change(togglePlay) },
  { id: 'ten-later', keys: ['shift-right', 'L'], shown: 'L', modes: ['past'], press: (desk) => desk.change(stepInPast(10)) },
  { id: 'ten-earlier', keys: ['shift-left', 'H'], shown: 'H', modes: ['past'], press: (desk) => desk.change(stepInPast(-10)) },
  { id: 'leap-later', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', modes: ['past'], footer: true, press: (desk) => desk.change(leapInPast(1)) },
  { id: 'leap-earlier', keys: ['page-up', 'ctrl-u'], shown: 'pgup', modes: ['past'], press: (desk) => desk.change(leapInPast(-1)) },
  { id: 'past-begin', keys: ['g', 'home'], shown: 'g', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(-Infinity)) },
  { id: 'past-end', keys: ['G', 'end'], shown: 'G', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(Infinity)) },
  { id: 'past-down', keys: ['j', 'down'], shown: 'j ↓', modes: ['past'], press: (desk) => desk.change(scrollPast(1)) },
  { id: 'past-up', keys: ['k', 'up'], shown: 'k ↑', modes: ['past'], press: (desk) => desk.change(scrollPast(-1)) },
]
