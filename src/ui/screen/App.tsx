import { Box, useApp, useInput, usePaste, useWindowSize } from 'ink'
import { memo, type ReactNode, useEffect, useEffectEvent, useLayoutEffect } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import { Blank } from '../../../components/Blank.tsx'
import { TooSmall } from '../../../components/TooSmall.tsx'
import { ThemeInUse } from '../../../components/base/theme.ts'
import { ours } from '../../domain/words/safe-text.ts'
import { tooSmallText } from '../../text/panes.ts'
import type { ConsoleOptions, Controller } from '../core/controller.ts'
import { layoutOf } from '../core/layout.ts'
import { type Box as ViewBox, frontBox, noticeHeight, noticeRoom } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { themeOf } from '../core/theme.ts'
import { keyed } from '../keys/bindings.ts'
import { dispatch, paste } from '../keys/dispatch.ts'
import { strokesOf } from '../keys/strokes.ts'
import { Panes } from '../panes/Panes.tsx'
import { StoreContext, useConsole, useRows } from '../panes/context.ts'
import { resized } from '../panes/movement.ts'
import type { Terminal } from '../terminal/lending.ts'
import { Overlays } from './Overlays.tsx'
import { linesSpoken, SpokenPanes } from './SpokenPanes.tsx'
import { FooterLine, HeaderLine, NoticeLine } from './StatusLines.tsx'

interface AppProps {
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

interface BodyProps {
  readonly columns: number
  readonly rows: number
  readonly height: number
  /** Additional lines of a long notice. */
  readonly noticed: number
  readonly box: ViewBox | null
}

/**
 * The panes, and the view over them. The panes keep their places: a view as wide as the screen leaves the rest of them,
 * a dialog is drawn over them.
 */
const Body = memo(({ columns, rows, height, noticed, box }: BodyProps) => {
  const spoken = useConsole((state) => state.preferences.spoken)
  const view = box && <Overlays box={box} body={height} />
  if (spoken)
    return (
      <Box height={height} flexDirection="column" overflow="hidden">
        {view ?? <SpokenPanes columns={columns} rows={rows} />}
      </Box>
    )
  const floats = box !== null && box.columns < columns
  const rest = box === null || floats ? height : box.over === 'panes' ? height - box.lines : 0
  const isAbove = box !== null && !floats && box.top === 0
  return (
    <Box height={height} flexDirection="column" overflow="hidden">
      {isAbove ? view : null}
      <Box
        height={rest}
        overflow="hidden"
        flexDirection="column"
        justifyContent={isAbove ? 'flex-end' : 'flex-start'}
        flexShrink={0}
      >
        {rest === 0 ? null : <Panes columns={columns} rows={rows} noticed={noticed} />}
      </Box>
      {floats ? <Floating box={box}>{view}</Floating> : isAbove ? null : view}
    </Box>
  )
})
Body.displayName = 'Body'

/** Blanks below it, because a line that is shorter than the box would show the panes. */
const Floating = ({ box, children }: { readonly box: ViewBox; readonly children: ReactNode }) => (
  <Box position="absolute" top={box.top} left={box.left} width={box.columns} height={box.lines}>
    <Blank columns={box.columns} lines={box.lines} />
    <Box position="absolute">{children}</Box>
  </Box>
)
