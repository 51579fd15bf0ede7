import { person } from '../../src/domain/actor.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { readBoard } from '../../src/operations/read-board.ts'
import { boardArrived } from '../../src/ui/arrivals.ts'
import { type Desk, makeDesk } from '../../src/ui/desk.ts'
import { dispatch } from '../../src/ui/dispatch.ts'
import { modeOf } from '../../src/ui/state.ts'
import { makeStore } from '../../src/ui/store.ts'
import type { Stroke } from '../../src/ui/strokes.ts'
import type { Fixture } from './fixture.ts'

/** A desk without a screen: keys go in, the state and the database tell what came of them. */
export interface TestDesk extends Desk {
  press(...strokes: readonly Stroke[]): void
  /** Reads the board into the store. */
  reread(): Promise<void>
  mode(): string
  notice(): string
  readonly quits: { count: number }
  readonly shells: string[]
}

export const openDesk = async ({ core, connection }: Fixture): Promise<TestDesk> => {
  const store = makeStore(core.clock())
  const quits = { count: 0 }
  const shells: string[] = []
  const desk = makeDesk(connection, store, {
    refresh: () => {},
    openShell: (folder) => shells.push(folder),
    openEditor: (path) => shells.push(path),
    quit: () => void quits.count++,
  })
  const test: TestDesk = {
    ...desk,
    press: (...strokes) => dispatch(test, strokes),
    reread: async () => desk.change(boardArrived(await perform(core, readBoard, { around: desk.state().view.around }, person))),
    mode: () => modeOf(desk.state()),
    notice: () => desk.state().view.notice.text,
    quits,
    shells,
  }
  desk.change((state) => ({ ...state, personas: ['implementer', 'planner', 'reviewer', 'tester'] }))
  await test.reread()
  return test
}
