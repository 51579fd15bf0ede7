import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect } from 'react'
import { Box, useApp, useInput, usePaste, useWindowSize } from 'ink'
import type { StoreApi } from 'zustand/vanilla'
import { ThemeInUse, themes } from '../../components/theme.ts'
import { TooSmall } from '../../components/TooSmall.tsx'
import type { ConsoleOptions } from './console-options.ts'
import { remeasureHelp } from './comfort/help.ts'
import { themeName } from './comfort/theme.ts'
import { StoreContext, useConsole } from './context.ts'
import type { Desk } from './desk.ts'
import { dispatch, paste } from './dispatch.ts'
import { GaugeLines } from './gauge/GaugeLines.tsx'
import { gaugeHeight } from './gauge/state.ts'
import { keyed } from './key-names.ts'
import { layoutOf } from './layout.ts'
import { resized } from './movement.ts'
import { FooterLine, HeaderLine, noticeHeight, NoticeLine, noticeRoom } from './panes/Edges.tsx'
import { linesTaken, Over } from './panes/Over.tsx'
import { Panes } from './panes/Panes.tsx'
import { linesSpoken } from './spoken/lines.ts'
import { SpokenPanes } from './spoken/SpokenPanes.tsx'
import type { ConsoleState } from './state.ts'
import { strokesOf } from './strokes.ts'
import { ours } from '../domain/safe-text.ts'
import { tooSmallText } from '../text/panes.ts'

/** The terminal as Ink hands it out: how to leave it, for good or for the time of another program. */
export type Terminal = Pick<ReturnType<typeof useApp>, 'exit' | 'suspendTerminal'>

export interface AppProps {
  readonly store: StoreApi<ConsoleState>
  readonly desk: Desk
  readonly repository: ConsoleOptions['repository']
  /** Is told of every key, before it is pressed. */
  readonly onKey: () => void
  /** Is given the terminal once the screen stands; what it gives is called when the screen goes. */
  readonly onTerminal: (terminal: Terminal) => () => void
}

export const App = ({ store, desk, repository, onKey, onTerminal }: AppProps) => {
  const { exit, suspendTerminal } = useApp()
  const hand = useEffectEvent(onTerminal)
  useEffect(() => hand({ exit, suspendTerminal }), [exit, suspendTerminal])
  // The only useInput of the program. A paste comes by its own way, so that it is never taken for keys.
  useInput((input, key) => {
    onKey()
    dispatch(desk, strokesOf(input, key))
  })
  usePaste((text) => paste(desk, text))
  return (
    <StoreContext value={store}>
      <Themed>
        <Screen desk={desk} repository={repository} />
      </Themed>
    </StoreContext>
  )
}

const Themed = ({ children }: { readonly children: ReactNode }) => <ThemeInUse value={themes[useConsole((state) => themeName(state.comfort.theme))]}>{children}</ThemeInUse>

const Screen = ({ desk, repository }: Pick<AppProps, 'desk' | 'repository'>) => {
  const { columns, rows: all } = useWindowSize()
  const gauge = useConsole((state) => gaugeHeight(state, columns, all))
  const spoken = useConsole((state) => state.comfort.spoken)
  // Everything else is laid out for a screen that is so much smaller.
  const rows = all - gauge - (spoken ? linesSpoken(columns, all - gauge) : 0)
  // Before the next key: what has no room is not pressed.
  useLayoutEffect(() => desk.change((state) => remeasureHelp(resized(columns, rows)(state))), [desk, columns, rows])
  const overlay = useConsole((state) => state.view.overlay)
  const pane = useConsole((state) => state.view.pane)
  const keys = useConsole((state) => ours(keyed(state, tooSmallText.keys)))
  const { kind, body } = layoutOf(columns, rows, pane)
  const most = noticeRoom(overlay, body)
  const commands = useConsole((state) => state.commands)
  const comfort = useConsole((state) => state.comfort)
  const more = useConsole((state) => noticeHeight(state, columns, most)) - 1
  // One row less than the terminal: a frame as tall as the terminal makes it scroll.
  const height = Math.max(1, all - 1)
  if (kind === 'none')
    return (
      <Box height={height} width={columns} overflow="hidden">
        <TooSmall columns={columns} rows={rows} keys={keys} />
      </Box>
    )
  const taken = linesTaken(overlay, body - more, columns, { commands, comfort })
  return (
    <Box flexDirection="column" width={columns} height={height} overflow="hidden">
      <HeaderLine width={columns} name={repository.name} branch={repository.branch} most={desk.connection.core.settings.session.maxParallel} />
      <Box height={body - more} flexDirection="column" overflow="hidden">
        {spoken ? taken > 0 ? null : <SpokenPanes columns={columns} rows={rows} /> : <Panes columns={columns} rows={rows} taken={taken} noticed={more} />}
        {taken > 0 ? <Over columns={columns} taken={taken} /> : null}
      </Box>
      <NoticeLine width={columns} most={most} />
      <FooterLine width={columns} />
      {gauge > 0 ? <GaugeLines width={columns} /> : null}
    </Box>
  )
}
