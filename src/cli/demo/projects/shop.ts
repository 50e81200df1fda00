import type { ProjectData } from '../project-data.ts';
import { SHOP_CHANGES } from './shop-changes.ts';

const CI_FILE = `stages: [test, build, deploy]

lint:
  stage: test
  script:
    - ruff check

test:
  stage: test
  script:
    - pytest

build:
  stage: build
  script:
    - python -m build

deploy-staging:
  stage: deploy
  script:
    - ./deploy.sh staging
  environment:
    name: staging
    url: https://staging.northfire.example
  rules:
    - if: $CI_COMMIT_BRANCH == "main"

deploy-production:
  stage: deploy
  script:
    - ./deploy.sh production
  environment:
    name: production
    url: https://www.northfire.example
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      when: manual
`;

const PRICE = `from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """A price in cents, with the tax of a country."""

    net: int
    tax_percent: int


def to_gross(price: Price) -> int:
    """What the customer pays, rounded to the cent."""
    return round(price.net * (100 + price.tax_percent) / 100)
`;

/** The web shop with its portal for dealers. */
export const shop: ProjectData = {
  group: 'online',
  path: 'shop',
  name: 'Shop',
  description: 'Web shop and portal for dealers',
  visibility: 'internal',
  author: 'pavel',
  files: {
    '.gitlab-ci.yml': CI_FILE,
    'README.md': `# Shop

The web shop of Northfire, and the portal where dealers order spare parts.

\`\`\`sh
pip install --editable .
flask --app shop run      # http://localhost:5000
pytest
\`\`\`

Merges to \`main\` go to staging at once. A release goes to production by hand.
`,
    'pyproject.toml': '[project]\nname = "shop"\nversion = "1.8.0"\ndependencies = ["flask"]\n',
    'shop/price.py': PRICE,
    'shop/cart.py': `from dataclasses import dataclass

from shop.price import Price, to_gross


@dataclass(frozen=True)
class CartLine:
    article: str
    price: Price
    quantity: int


def get_total(lines: list[CartLine]) -> int:
    """The total of a cart in cents."""
    return sum(to_gross(line.price) * line.quantity for line in lines)
`,
    'tests/test_cart.py': `from shop.cart import CartLine, get_total
from shop.price import Price


def test_adds_the_gross_prices():
    assert get_total([CartLine("NF-8", Price(10_000, 25), 2)]) == 25_000
`,
    'deploy.sh': '#!/bin/sh\nset -eu\nrsync --archive dist/ "deploy@$1.northfire.example:/srv/shop/"\n',
  },
  changes: SHOP_CHANGES,
  issues: [
    {
      day: 90,
      title: 'Accept payment by Vipps',
      description: 'A quarter of the Norwegian carts end at the payment.',
      author: 'ingrid',
      labels: ['feature'],
      assignee: 'pavel',
    },
    {
      day: 200,
      title: 'The search finds nothing for "pelet"',
      description: 'Tolerate one wrong letter.',
      author: 'greta',
      labels: ['feature'],
      closedAfter: 70,
      assignee: 'lucia',
    },
    {
      day: 310,
      title: 'Update Python to 3.14',
      description: '- [ ] staging\n- [ ] production',
      author: 'pavel',
      labels: ['maintenance'],
      assignee: 'pavel',
    },
    {
      day: 346,
      title: 'Show reviews of customers',
      description: 'Which service do we use? @ingrid must decide.',
      author: 'lucia',
      labels: ['feature'],
      assignee: 'ingrid',
    },
  ],
};
