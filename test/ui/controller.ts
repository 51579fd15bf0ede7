import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { boardArrived } from '../../src/ui/core/reducers.ts'
import { type Controller, makeController } from '../../src/ui/core/controller.ts'
import { dispatch } from '../../src/ui/keys/dispatch.ts'
import { modeOf } from '../../src/ui/core/state.ts'
import { makeStore } from '../../src/ui/store.ts'
import type { Stroke } from '../../src/ui/keys/strokes.ts'
import type { Fixture } from './fixture.ts'

/** A controller without a screen: keys go in, and the state and the database show their effect. */
export interface TestController extends Controller {
  press(...strokes: readonly Stroke[]): void
  /** Reads the board into the store. */
  reread(): Promise<void>
  mode(): string
  notice(): string
  readonly quits: { count: number }
  readonly shells: string[]
  /** Texts that were copied to the clipboard. */
  readonly copied: string[]
}

export const openController = async ({ core, connection }: Fixture): Promise<TestController> => {
  const store = makeStore(core.clock())
  const quits = { count: 0 }
  const shells: string[] = []
  const copied: string[] = []
  const controller = makeController(connection, store, {
    refresh: () => {},
    openShell: (folder) => shells.push(folder),
    openEditor: (path) => shells.push(path),
    openTaken: ({ argv }) => shells.push(argv.join(' ')),
    quit: () => void quits.count++,
    copy: (text) => void copied.push(text),
  })
  const test: TestController = {
    ...controller,
    press: (...strokes) => dispatch(test, strokes),
    reread: async () =>
      controller.change(
        boardArrived(await perform(core, readBoard, { around: controller.state().view.around }, person)),
      ),
    mode: () => modeOf(controller.state()),
    notice: () => controller.state().view.notice.text,
    quits,
    shells,
    copied,
  }
  controller.change((state) => ({ ...state, personas: ['implementer', 'planner', 'reviewer', 'tester'] }))
  await test.reread()
  return test
}
