import { memo } from 'react'
import { ours } from '../../../domain/words/safe-text.ts'
import { Log } from '../../../../components/Log.tsx'
import { useConsole } from '../context.ts'
import type { PaneProps } from '../board/BoardPane.tsx'
import { paneText } from '../../../text/panes.ts'

export const LogPane = memo(({ height }: PaneProps) => {
  const log = useConsole((state) => state.log)
  const back = useConsole((state) => state.view.back)
  const end = Math.max(Math.min(height, log.length), log.length - back)
  return <Log lines={log.slice(Math.max(0, end - height), end)} empty={ours(paneText.noLog)} />
})
LogPane.displayName = 'LogPane'
