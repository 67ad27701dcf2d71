/** The guides of /docs, in the order of their navigation. */
export type Guide = {
  /** Relative to the repository. */
  file: string
  /** Served as /docs/<name>, and /docs/<name>.md. */
  name: string
  label: string
  /** For the first page and /llms.txt. */
  summary: string
}

const guide = (name: string, label: string, summary: string, file = `docs/${name}.md`): Guide => ({
  file,
  name,
  label,
  summary,
})

const CLIENT = 'clients/node/README.md'

export const SECTIONS: { title: string; guides: Guide[] }[] = [
  {
    title: 'Integrate',
    guides: [
      guide(
        'snippet',
        'Tracking snippet',
        'Record visits through partners’ links, and pass the click id on.',
      ),
      guide(
        'tags',
        'Add the tag',
        'By tool: tag managers, site builders, frameworks and consent tools.',
      ),
      guide('api', 'API', 'Report leads and sales, and read or change the rest by HTTP.'),
      guide(
        'client',
        'JavaScript client',
        'Report with retries, read click ids, verify webhooks.',
        CLIENT,
      ),
      guide('webhooks', 'Webhooks', 'Receive what happens, signed, in your backend.'),
      guide('mcp', 'Assistants (MCP)', 'Let Claude, Cursor and others read a workspace.'),
      guide('stripe', 'Stripe', 'Let Stripe report payments, renewals, refunds and disputes.'),
      guide(
        'decisions',
        'How sales are credited',
        'The rules, and the steps by which each event explains itself.',
      ),
    ],
  },
  {
    title: 'Step by step',
    guides: [
      guide(
        'guide-test-your-integration',
        'Test your integration',
        'A click, a lead, a sale and a refund by hand, what each answers, and frequent mistakes.',
      ),
      guide('guide-express', 'Express', 'A shop in one file that reports each sale once.'),
      guide(
        'guide-nextjs',
        'Next.js',
        'The App Router: Server Actions, and a route for what is left to send.',
      ),
      guide('guide-django', 'Django', 'Models, views, and a command that sends reports.'),
      guide(
        'guide-laravel',
        'Laravel',
        'Queued jobs, and the cookie that Laravel must not decrypt.',
      ),
      guide(
        'guide-rails',
        'Ruby on Rails',
        'Models, a controller, and a runner that sends reports.',
      ),
      guide('guide-payment-links', 'Stripe Payment Links', 'A static site without a backend.'),
      guide('guide-woocommerce', 'WooCommerce', 'A WordPress plugin of one file.'),
      guide(
        'guide-server-events',
        'Server events',
        'Map the events of a platform such as Segment.',
      ),
    ],
  },
  {
    title: 'Run a program',
    guides: [
      guide('tour', 'A tour', 'What a manager and a partner see, in pictures.'),
      guide(
        'comparison',
        'Coming from another platform',
        'What you had there, and where it is here.',
      ),
      guide(
        'rewards',
        'Rewards',
        'A base and rules: by product, payment, campaign or country, and for one partner.',
      ),
      guide('tiers', 'Tiers', 'What partners reach by their sales: other rewards, other groups.'),
      guide('bonuses', 'Bonuses', 'Pay partners once for a milestone, or many of them at once.'),
      guide('budgets', 'Budgets', 'What the commissions of a month may come to.'),
      guide('imports', 'Imports', 'Bring partners and customers from another platform.'),
      guide(
        'shadow',
        'Shadow run',
        'Run beside the platform that you are moving from, which pays meanwhile.',
      ),
      guide(
        'applications',
        'Applications',
        'How people apply, are invited, and accept your terms.',
      ),
      guide('people', 'People and roles', 'Managers, members, partners, and how they sign in.'),
      guide('portal', 'Partner portal', 'What partners see, and how they connect an account.'),
      guide('payouts', 'Payouts', 'Schedules, runs, limits, and what each state means.'),
      guide('bank-files', 'Bank files', 'Pay by your bank: SEPA, Wise and PayPal files.'),
      guide('papers', 'Invoices and statements', 'What partners and merchants file.'),
    ],
  },
  {
    title: 'Operate',
    guides: [
      guide('deploying', 'Deploy', 'Set up, costs, upgrades, going back, removing.'),
      guide('running', 'Run and configure', 'Commands, settings, crons, secrets, roles, logs.'),
      guide('mail', 'Mail', 'Which mails are sent, to whom and when.'),
      guide('privacy', 'Privacy', 'What is stored about people, why, and for how long.'),
      guide('security', 'Security', 'The threat model, and what protects against each attack.'),
      guide('scale', 'Scale', 'What one database carries, and what breaks first.'),
      guide('figures', 'Figures', 'What was measured, and how.'),
      guide('life-of-a-sale', 'Life of a sale', 'From the click to the bank, with the files.'),
      guide('architecture', 'Architecture', 'How the code is arranged, and how a request travels.'),
      guide('style', 'Words and style', 'The glossary, and how sentences are written.'),
    ],
  },
]

export const GUIDES = SECTIONS.flatMap(({ guides }) => guides)
