import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './base/Paint.tsx'
import { chosenText, keyColumns, paletteLines, type PaletteRow } from './lines/palette.ts'
import { paletteText } from '../src/text/palette.ts'
import { rangeText } from '../src/text/panes.ts'

export interface PaletteProps {
  readonly typed: SafeText
  readonly rows: readonly PaletteRow[]
  readonly at: number
  readonly width: number
  /** Rows that fit. */
  readonly height: number
}

/**
 * Every command by its name, filtered by the typed text; the selected one is shown completely in the last lines if its
 * row is truncated.
 */
export const Palette = ({ typed, rows, at, width, height }: PaletteProps) => {
  const { from, seen, whole } = paletteLines(rows, at, width, height)
  const shown = rows.slice(from, from + seen)
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'palette',
          title: ours(paletteText.title),
          note: rows.length > shown.length ? ours(rangeText(from + 1, from + shown.length, rows.length)) : ours(''),
          focused: true,
          height: height + 1,
          body: (
            <Box flexDirection="column">
              <Paint label={paletteText.spoken.typed(typed)}>
                <Paint bold>{' : '}</Paint>
                {typed}
                <Paint inverse> </Paint>
              </Paint>
              {rows.length === 0 ? <Paint dim>{`   ${paletteText.noCommand}`}</Paint> : ''}
              {shown.map((row, index) => {
                const active = index + from === at
                return (
                  <Paint
                    key={row.help}
                    bold={active}
                    dim={row.blocked !== null}
                    label={paletteText.spoken.offer(row.help, row.keys, active, row.blocked)}
                  >
                    {`${active ? '▸' : ' '} ${row.keys.padEnd(keyColumns(width))} ${active ? chosenText(row) : row.help}`}
                  </Paint>
                )
              })}
              {whole.length > 0 ? (
                <Box height={height - whole.length - Math.max(1, shown.length)} flexShrink={0} />
              ) : (
                ''
              )}
              {whole.map((line, index) => (
                <Paint key={`whole ${index}`} hidden>{`${index === 0 ? ' └ ' : '   '}${line}`}</Paint>
              ))}
            </Box>
          ),
        },
      ]}
    />
  )
}
