import type { Agreement } from '../applications/applications.ts'

/** The terms that partners accept, as the merchant wrote them. */
export const Terms = ({ agreement }: { agreement: Agreement }) => (
  <details class="terms" open>
    <summary>Terms, version {agreement.version}</summary>
    <div class="written" tabindex={0}>
      {agreement.content}
    </div>
  </details>
)
