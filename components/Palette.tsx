import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit } from './fit.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'
import { paletteText } from '../src/text/palette.ts'

export interface PaletteRow {
  readonly keys: SafeText
  readonly help: SafeText
  /** Why it cannot be done now. */
  readonly blocked: SafeText | null
}

export interface PaletteProps {
  readonly typed: SafeText
  readonly rows: readonly PaletteRow[]
  readonly at: number
  readonly width: number
  /** Rows that fit. */
  readonly height: number
}

/** The first row that is seen. */
export const paletteFrom = (at: number, height: number, count: number): number => Math.max(0, Math.min(at - height + 1, count - height))

/** Every command by its name, narrowed down by what is typed. */
export const Palette = ({ typed, rows, at, width, height }: PaletteProps) => {
  const from = paletteFrom(at, height, rows.length)
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'palette',
          title: ours(paletteText.title),
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
              {rows.slice(from, from + height).map((row, index) => {
                const active = index + from === at
                return (
                  <Paint key={row.help} bold={active} dim={row.blocked !== null} label={paletteText.spoken.offer(row.help, row.keys, active, row.blocked)}>
                    {`${active ? '▸' : ' '} ${fit(row.keys, 10)} ${row.help}${row.blocked !== null && active ? ` (${row.blocked})` : ''}`}
                  </Paint>
                )
              })}
            </Box>
          ),
        },
      ]}
    />
  )
}
