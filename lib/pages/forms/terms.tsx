import type { Agreement } from '../../applications/applications.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'

/** The merchant's terms, with their line breaks. */
export const Terms = ({ agreement }: { agreement: Agreement }) => (
  <details class="terms" open>
    <summary>{t(m.terms_version, { version: String(agreement.version) })}</summary>
    <div class="written" tabindex={0}>
      {agreement.content}
    </div>
  </details>
)
