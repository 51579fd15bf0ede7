import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect } from 'react'
import { Box, useApp, useInput, usePaste, useWindowSize } from 'ink'
import type { StoreApi } from 'zustand/vanilla'
import { ThemeInUse } from '../../../components/base/theme.ts'
import { TooSmall } from '../../../components/TooSmall.tsx'
import type { ConsoleOptions, Controller } from '../core/controller.ts'
import { themeOf } from '../core/theme.ts'
import { StoreContext, useConsole, useRows } from '../panes/context.ts'
import type { Terminal } from '../terminal/lending.ts'
import { dispatch, paste } from '../keys/dispatch.ts'
import { frontBox, noticeHeight, noticeRoom } from '../core/overlays.ts'
import { keyed } from '../keys/bindings.ts'
import { layoutOf } from '../core/layout.ts'
import { resized } from '../panes/movement.ts'
import { FooterLine, HeaderLine, NoticeLine } from './StatusLines.tsx'
import { Body } from './Body.tsx'
import { linesSpoken } from '../panes/spoken-lines.ts'
import type { ConsoleState } from '../core/state.ts'
import { strokesOf } from '../keys/strokes.ts'
import { ours } from '../../domain/words/safe-text.ts'
import { tooSmallText } from '../../text/panes.ts'

export interface AppProps {
  readonly store: StoreApi<ConsoleState>
  readonly controller: Controller
  readonly repository: ConsoleOptions['repository']
  /** Called for every key, before it is processed. */
  readonly onKey: () => void
  /** Receives the terminal once the screen is drawn; its result is called when the screen ends. */
  readonly onTerminal: (terminal: Terminal) => () => void
}

export const App = ({ store, controller, repository, onKey, onTerminal }: AppProps) => {
  const { exit, suspendTerminal } = useApp()
  const hand = useEffectEvent(onTerminal)
  useEffect(() => hand({ exit, suspendTerminal }), [exit, suspendTerminal])
  // The only useInput of the program. A paste has its own event, so that it is never processed as keys.
  useInput((input, key) => {
    onKey()
    dispatch(controller, strokesOf(input, key))
  })
  usePaste((text) => paste(controller, text))
  return (
    <StoreContext value={store}>
      <Themed>
        <Screen controller={controller} repository={repository} />
      </Themed>
    </StoreContext>
  )
}

const Themed = ({ children }: { readonly children: ReactNode }) => (
  <ThemeInUse value={useConsole((state) => themeOf(state.preferences.theme))}>{children}</ThemeInUse>
)

const Screen = ({ controller, repository }: Pick<AppProps, 'controller' | 'repository'>) => {
  const { columns, rows: all } = useWindowSize()
  const spoken = useConsole((state) => state.preferences.spoken)
  // Everything else is laid out for the remaining rows.
  const rows = all - (spoken ? linesSpoken(columns, all) : 0)
  // Runs before the next key, because keys for parts without room are disabled.
  useLayoutEffect(() => controller.change((state) => resized(columns, rows)(state)), [controller, columns, rows])
  const table = useConsole((state) => state.table)
  const overlay = useConsole((state) => state.view.overlay)
  const pane = useConsole((state) => state.view.pane)
  const keys = useConsole((state) => ours(keyed(state, tooSmallText.keys)))
  const { kind, body } = layoutOf(columns, rows, pane)
  const most = noticeRoom({ table }, overlay, body)
  const more = useConsole((state) => noticeHeight(state, columns, most)) - 1
  const box = useRows((state) => frontBox(resized(columns, rows)(state), body - more))
  // One row less than the terminal: a frame as tall as the terminal makes it scroll.
  const height = Math.max(1, all - 1)
  if (kind === 'none')
    return (
      <Box height={height} width={columns} overflow="hidden">
        <TooSmall columns={columns} rows={rows} keys={keys} />
      </Box>
    )
  return (
    <Box flexDirection="column" width={columns} height={height} overflow="hidden">
      <HeaderLine
        width={columns}
        name={repository.name}
        branch={repository.branch}
        board={controller.connection.core.store}
        most={controller.connection.core.settings.session.maxParallel}
      />
      <Body columns={columns} rows={rows} height={body - more} noticed={more} box={box} />
      <NoticeLine width={columns} most={most} />
      <FooterLine width={columns} />
    </Box>
  )
}
