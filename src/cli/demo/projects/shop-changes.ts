import type { ChangeData } from '../project-data.ts';

/** The merge requests of the project `shop`. */
export const SHOP_CHANGES: readonly ChangeData[] = [
  {
    day: 12,
    branch: 'rounding',
    title: 'Round the total once, not for each line',
    author: 'pavel',
    reviewer: 'lucia',
    labels: ['bug'],
    issue: {
      title: 'Invoices differ by one cent from the shop',
      description:
        'Order 10432: the shop shows **1,249.99**, the invoice 1,250.00. Accounting corrects about five of them a week.',
      author: 'greta',
      labels: ['bug'],
      comments: [
        ['pavel', 'We round each line, the invoice rounds the sum.'],
        ['ingrid', 'The invoice is right. Please fix the shop before the Christmas sale.'],
      ],
    },
    commits: [
      {
        message: 'Round the total once\n\nInvoices round the sum, so the shop must do the same.',
        files: {
          'shop/cart.py': `from dataclasses import dataclass

from shop.price import Price


@dataclass(frozen=True)
class CartLine:
    article: str
    price: Price
    quantity: int


def get_total(lines: list[CartLine]) -> int:
    """The total of a cart in cents. Rounds once, as invoices do."""
    net_and_tax = (line.price.net * line.quantity * (100 + line.price.tax_percent) for line in lines)
    return round(sum(net_and_tax) / 100)
`,
        },
      },
    ],
    review: [
      'Could you add the order of the report as a test?',
      'Done with the next merge request, it needs fixtures.',
    ],
    release: 'v1.8.1',
  },
  {
    day: 40,
    branch: 'order-fixtures',
    title: 'Test totals with orders of the past year',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['maintenance'],
    failsFirst: true,
    commits: [
      {
        message: 'Add fixtures of orders',
        files: { 'tests/orders.json': '[{ "order": 10432, "total": 124999 }]\n' },
      },
      {
        message: 'Use the total of the invoice',
        files: { 'tests/orders.json': '[{ "order": 10432, "total": 125000 }]\n' },
      },
    ],
  },
  {
    day: 66,
    branch: 'dealer-login',
    title: 'Let dealers sign in with a link',
    author: 'pavel',
    reviewer: 'lucia',
    labels: ['feature'],
    issue: {
      title: 'Dealers forget their passwords',
      description:
        'Half of the calls of dealers are about passwords. They order twice a year.\n\n- [x] ask three dealers\n- [ ] sign-in by a link in a mail',
      author: 'greta',
      labels: ['feature'],
    },
    commits: [
      {
        message: 'Add sign-in links',
        files: {
          'shop/sign_in_link.py': `import hmac

MAX_AGE_SECONDS = 900


def sign(secret: bytes, dealer: str, time: int) -> str:
    """The signature of a link for a dealer at a time."""
    return hmac.new(secret, f"{dealer} {time}".encode(), "sha256").hexdigest()


def is_valid(secret: bytes, dealer: str, time: int, signature: str, now: int) -> bool:
    """Whether a link is genuine and at most 15 minutes old."""
    return now - time <= MAX_AGE_SECONDS and hmac.compare_digest(sign(secret, dealer, time), signature)
`,
        },
      },
      {
        message: 'Test that links expire',
        files: {
          'tests/test_sign_in_link.py': `from shop.sign_in_link import is_valid, sign


def test_a_link_expires_after_15_minutes():
    signature = sign(b"secret", "lyon", 0)
    assert is_valid(b"secret", "lyon", 0, signature, 900)
    assert not is_valid(b"secret", "lyon", 0, signature, 901)
`,
        },
      },
    ],
    review: ['Compare in constant time, please.', 'It does: `hmac.compare_digest`.'],
    release: 'v1.9.0',
  },
  {
    day: 121,
    branch: 'spare-parts',
    title: 'Show spare parts of a stove by its serial number',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['feature'],
    commits: [
      {
        message: 'Find spare parts by serial number',
        files: {
          'shop/spare_parts.py':
            'def get_series(serial_number: str) -> str:\n    """The series of a stove: the first two digits of its serial number."""\n    return serial_number[:2]\n',
        },
      },
    ],
  },
  {
    day: 168,
    branch: 'stock',
    title: 'Show when a stove is in stock again',
    author: 'pavel',
    reviewer: 'lucia',
    labels: ['feature'],
    commits: [
      {
        message: 'Show the date of the next delivery',
        files: {
          'shop/stock.py':
            'from dataclasses import dataclass\nfrom datetime import date\n\n\n@dataclass(frozen=True)\nclass Stock:\n    available: int\n    next_delivery: date | None\n',
        },
      },
    ],
    release: 'v1.10.0',
  },
  {
    day: 205,
    branch: 'new-checkout',
    title: 'Rewrite the checkout',
    author: 'pavel',
    reviewer: 'ingrid',
    labels: ['feature'],
    outcome: 'closed',
    commits: [{ message: 'Start a new checkout', files: { 'shop/checkout/README.md': 'A checkout on one page.\n' } }],
    review: [
      'We need this in smaller steps: the autumn sale is in six weeks.',
      'Agreed, I close this and begin with the address form.',
    ],
  },
  {
    day: 236,
    branch: 'address-form',
    title: 'Check addresses before the order',
    author: 'pavel',
    reviewer: 'lucia',
    labels: ['feature', 'bug'],
    failsFirst: true,
    issue: {
      title: 'Stoves are sent to addresses that do not exist',
      description: 'Two came back in May. A pallet costs 180 € each way.',
      author: 'ingrid',
      labels: ['bug'],
    },
    commits: [
      {
        message: 'Check postal codes',
        files: {
          'shop/address.py':
            'import re\n\nPOSTAL_CODES = {"DE": r"\\d{5}", "NO": r"\\d{4}", "FR": r"\\d{5}"}\n\n\ndef is_postal_code(country: str, code: str) -> bool:\n    return re.fullmatch(POSTAL_CODES[country], code) is not None\n',
        },
      },
      {
        message: 'Accept countries without a rule',
        files: {
          'shop/address.py':
            'import re\n\nPOSTAL_CODES = {"DE": r"\\d{5}", "NO": r"\\d{4}", "FR": r"\\d{5}"}\n\n\ndef is_postal_code(country: str, code: str) -> bool:\n    return re.fullmatch(POSTAL_CODES.get(country, ".*"), code) is not None\n',
        },
      },
    ],
  },
  {
    day: 291,
    branch: 'autumn-sale',
    title: 'Prepare the autumn sale',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['feature'],
    commits: [
      {
        message: 'Add discounts of a time span',
        files: {
          'shop/discount.py':
            'from dataclasses import dataclass\nfrom datetime import date\n\n\n@dataclass(frozen=True)\nclass Discount:\n    percent: int\n    first_day: date\n    last_day: date\n\n    def is_active(self, today: date) -> bool:\n        return self.first_day <= today <= self.last_day\n',
        },
      },
    ],
    release: 'v1.11.0',
  },
  {
    day: 333,
    branch: 'images',
    title: 'Send smaller images to phones',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['feature'],
    commits: [
      {
        message: 'Offer images in three widths',
        files: {
          'shop/images.py':
            'WIDTHS = (480, 960, 1920)\n\n\ndef to_source_set(name: str) -> str:\n    return ", ".join(f"/images/{name}-{width}.webp {width}w" for width in WIDTHS)\n',
        },
      },
    ],
    release: 'v1.12.0',
  },
  {
    day: 357,
    branch: 'gift-cards',
    title: 'Draft: Sell gift cards',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['feature'],
    outcome: 'draft',
    commits: [
      {
        message: 'Create codes of gift cards',
        files: {
          'shop/gift_card.py':
            'import secrets\n\nLETTERS = "ACDEFGHJKLMNPQRTUVWXY34679"\n\n\ndef create_code() -> str:\n    """A code that people can read out on the phone."""\n    return "".join(secrets.choice(LETTERS) for _ in range(12))\n',
        },
      },
    ],
  },
  {
    day: 359,
    branch: 'delivery-date',
    title: 'Show the delivery date in the confirmation',
    author: 'lucia',
    reviewer: 'pavel',
    labels: ['bug'],
    issue: {
      title: 'Order confirmation lacks the delivery date',
      description: 'Customers call to ask for it.',
      author: 'greta',
      labels: ['bug'],
      comments: [['ingrid', '@lucia can this go out before the weekend?']],
    },
    commits: [
      {
        message: 'Show the delivery date in the confirmation',
        files: {
          'shop/confirmation.py':
            'from datetime import date\n\n\ndef describe_delivery(day: date) -> str:\n    return f"We deliver on {day:%A, %d %B}."\n',
        },
      },
    ],
    deploymentFails: true,
    release: 'v1.12.1',
  },
  {
    day: 362,
    branch: 'fix/basket-badge',
    title: 'Show the number of articles in the basket again',
    author: 'pavel',
    reviewer: 'lucia',
    labels: ['bug'],
    outcome: 'open',
    issue: {
      title: 'The basket always shows 0',
      description: 'Since v1.12.0, in Safari only.',
      author: 'greta',
      labels: ['bug'],
      comments: [['lucia', 'It comes from my change of the images: the badge is one now.']],
    },
    commits: [
      {
        message: 'Leave badges out of the image sets',
        files: {
          'shop/badge.py': 'def to_badge(count: int) -> str:\n    return "99+" if count > 99 else str(count)\n',
        },
      },
    ],
  },
];
