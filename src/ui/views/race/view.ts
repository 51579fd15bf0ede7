import { modeText } from '../../../text/keys.ts'
import { by, type ReadView } from '../../core/registry.ts'
import * as press from './race.ts'
import { type RaceContents, type RaceOverlay, startRaceFeed } from './race.ts'
import { raceSheet } from './lines.ts'

/** The racers of a task side by side. */
// prettier-ignore
export const race: ReadView<RaceOverlay, RaceContents> = {
  kind: 'race',
  title: modeText.race,
  manner: 'reading',
  opens: [{ id: 'race', keys: ['R'], shown: 'R', blocked: press.whyNotRace, press: press.openRace }],
  keys: [
    { id: 'pick', keys: ['y'], shown: 'y', writes: true, footer: true, answers: true, blocked: press.whyNotDecide, press: press.pick },
    { id: 'next-racer', keys: ['right', 'l'], shown: 'l →', footer: true, press: by(press.moveRacer(1)) },
    { id: 'previous-racer', keys: ['left', 'h'], shown: 'h ←', press: by(press.moveRacer(-1)) },
    { id: 'verify-racers', keys: ['v'], shown: 'v', writes: true, footer: true, blocked: press.whyNotDecide, press: press.verify },
    { id: 'read-racer', keys: ['enter'], shown: 'enter', footer: true, blocked: press.whyNotRead, press: press.readRacer },
    { id: 'stop-race', keys: ['x'], shown: 'x', writes: true, blocked: press.whyNotDecide, press: press.stop },
  ],
  empty: { race: null },
  feed: startRaceFeed,
  content: raceSheet,
  click: null,
  hosts: true,
  stays: true,
}
