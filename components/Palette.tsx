import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { fit } from './fit.ts'
import { Frame } from './Frame.tsx'
import { Paint } from './Paint.tsx'

export interface PaletteRow {
  readonly keys: string
  readonly help: string
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

/** Every command by its name, narrowed down by what is typed. */
export const Palette = ({ typed, rows, at, width, height }: PaletteProps) => {
  const from = Math.max(0, Math.min(at - height + 1, rows.length - height))
  return (
    <Frame
      width={width}
      sections={[
        {
          key: 'palette',
          title: ours('Commands'),
          focused: true,
          height: height + 1,
          body: (
            <Box flexDirection="column">
              <Paint>
                <Paint bold>{' : '}</Paint>
                {typed}
                <Paint inverse> </Paint>
              </Paint>
              {rows.length === 0 ? <Paint dim>{'   no command has these letters'}</Paint> : ''}
              {rows.slice(Math.max(0, from), Math.max(0, from) + height).map((row, index) => {
                const active = index + Math.max(0, from) === at
                return (
                  <Paint key={row.help} bold={active} dim={row.blocked !== null}>
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
