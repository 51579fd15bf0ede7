import type { KeyRow } from '../keys.ts'
import { leapInPast, scrollPast, stepInPast, togglePlay } from './movement.ts'

// The rows of keys.ts that belong to the timeline. Nothing here acts: the past cannot be changed.

// prettier-ignore
export const pastRows: readonly KeyRow[] = [
  { id: 'later', keys: ['right', 'l'], shown: 'l →', label: 'later', help: 'One event further', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(1)) },
  { id: 'earlier', keys: ['left', 'h'], shown: 'h ←', label: 'earlier', help: 'One event back', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(-1)) },
  { id: 'ten-later', keys: ['shift-right', 'L'], shown: 'L', label: 'ten later', help: 'Ten events further', modes: ['past'], press: (desk) => desk.change(stepInPast(10)) },
  { id: 'ten-earlier', keys: ['shift-left', 'H'], shown: 'H', label: 'ten earlier', help: 'Ten events back', modes: ['past'], press: (desk) => desk.change(stepInPast(-10)) },
  { id: 'leap-later', keys: ['page-down', 'ctrl-d'], shown: 'pgdn', label: 'leap', help: 'A twentieth of the whole further', modes: ['past'], footer: true, press: (desk) => desk.change(leapInPast(1)) },
  { id: 'leap-earlier', keys: ['page-up', 'ctrl-u'], shown: 'pgup', label: 'leap', help: 'A twentieth of the whole back', modes: ['past'], press: (desk) => desk.change(leapInPast(-1)) },
  { id: 'past-begin', keys: ['g', 'home'], shown: 'g', label: 'begin', help: 'To the beginning', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(-Infinity)) },
  { id: 'past-end', keys: ['G', 'end'], shown: 'G', label: 'now', help: 'To the last event', modes: ['past'], footer: true, press: (desk) => desk.change(stepInPast(Infinity)) },
  { id: 'past-play', keys: [' '], shown: 'space', label: 'play', help: 'Let it run, or hold it', modes: ['past'], footer: true, press: (desk) => desk.change(togglePlay) },
  { id: 'past-down', keys: ['j', 'down'], shown: 'j ↓', label: 'down', help: 'Scroll the tasks down', modes: ['past'], press: (desk) => desk.change(scrollPast(1)) },
  { id: 'past-up', keys: ['k', 'up'], shown: 'k ↑', label: 'up', help: 'Scroll the tasks up', modes: ['past'], press: (desk) => desk.change(scrollPast(-1)) },
]
