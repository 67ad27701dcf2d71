/** QR codes, as SVG in the page and as a file. */
import { encode } from 'uqr'
import * as m from '../../languages/messages.ts'
import { toAscii } from '../../values/slugs.ts'
import { t } from '../layout/text.ts'

/** The codes of longer texts have so many modules that phones misread them. */
const MAX_LENGTH = 500

/** The margin that QR readers need, in modules. */
const MARGIN = 4

/** The dark modules, each run of a row as a line. */
const runsOf = (rows: boolean[][]): string =>
  rows
    .map((row, y) => {
      const text = row.map((isDark) => (isDark ? '1' : '0')).join('')
      return [...text.matchAll(/1+/g)]
        .map(({ index, 0: run }) => `M${index} ${y}.5h${run.length}`)
        .join('')
    })
    .join('')

/** Black on white in any colour scheme, because some QR readers accept nothing else. */
const Code = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN })
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path stroke="#000" d={runsOf(data)} />
    </svg>
  )
}

export const QrCode = ({ link, slug }: { link: string; slug: string }) => {
  if (link.length > MAX_LENGTH) return <p class="hint">{t(m.qr_too_long)}</p>
  const code = <Code text={link} label={t(m.qr_of, { link })} />
  return (
    <figure class="qr">
      {code}
      <figcaption>
        <a
          download={`${toAscii(slug) || 'link'}.svg`}
          href={`data:image/svg+xml,${encodeURIComponent(String(code))}`}
        >
          {t(m.download_qr)}
        </a>
      </figcaption>
    </figure>
  )
}
