import type { Fixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'
import { hostile } from './families.ts'
import { hostileCommands, hostileMemory } from './sources.ts'

/** The real console on the hostile session, at a given size. */
export const openConsole = (
  fixture: Fixture,
  size: { readonly columns: number; readonly rows: number; readonly environment?: NodeJS.ProcessEnv },
): Screen =>
  openScreen(fixture, {
    ...size,
    pace: 12,
    repository: { name: hostile('repository'), branch: hostile('checkout') },
    notice: hostile('notice'),
    commands: () => Promise.resolve(hostileCommands),
    memory: { read: () => hostileMemory, write: () => {} },
    reports: (told) => setTimeout(() => told(hostile('report')), 50),
    announce: () => {},
  })

/** The output without the one sequence that contains foreign text on purpose: the line that the person copied, as base64. */
export const writtenBesideCopies = (screen: Screen): string =>
  // oxlint-disable-next-line no-control-regex -- the sequence that is taken out
  screen.written.join('').replace(/\u001b\]52;c;[A-Za-z0-9+/=]*\u0007/g, '')
