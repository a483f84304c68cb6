//! `wavetune wishes`: lists the problems that lookups missed.

use ::lookup::{open_wishes, wish};
use answers::wishes::Wish;
use clap::{Args, Subcommand};
use configgen::{Generator, Problem, Target};
use store::{Catalogue, CountedWish};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json, tell_unreadable};
use crate::value_parsers::{devices, generators, targets};

/// List lookups without an exact answer, or dismiss one.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WishesArguments {
    #[command(subcommand)]
    command: Option<WishesCommand>,
    #[command(flatten)]
    list: WishListArguments,
}

#[derive(Subcommand)]
enum WishesCommand {
    /// List the wishes.
    List(WishListArguments),
    /// Dismiss a wish until the next such lookup.
    Dismiss(WishDismissArguments),
}

#[derive(Args)]
#[command(
    after_long_help = "Examples:\n  wavetune wishes dismiss 'argmax:4x[32000]xf32' --target gfx942"
)]
struct WishDismissArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// ISA of the lookup.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Device of the lookup.
    ///
    /// The option is required if the lookup named a device.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Generator of the lookup.
    ///
    /// The option is required if the lookup named a generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    #[command(flatten)]
    database: Database,
}

#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune wishes list")]
struct WishListArguments {
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
A wish is a lookup without an exact answer. The most frequent wish comes first. A wish disappears \
once a lookup would find an exact answer.

Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune wishes
  wavetune wishes --output-format json
  wavetune wishes dismiss 'argmax:4x[32000]xf32' --target gfx942
  wavetune tune --wishes";

pub(crate) fn run(arguments: &WishesArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        None => list(&arguments.list),
        Some(WishesCommand::List(arguments)) => list(arguments),
        Some(WishesCommand::Dismiss(arguments)) => dismiss(arguments),
    }
}

fn dismiss(arguments: &WishDismissArguments) -> anyhow::Result<Exit> {
    let wish = store::Wish {
        problem: arguments.problem.problem()?,
        target: arguments.target,
        device: arguments.device.clone(),
        generator: arguments.generator,
    };
    let is_there = block_on(async {
        let store = arguments.database.open_existing().await?;
        let wishes = store.wishes().await?.rows;
        // `end_wish` does not tell if there was one.
        let is_there = wishes.iter().any(|wished| wished.wish == wish);
        if is_there {
            store.end_wish(&wish).await?;
        }
        store.close().await;
        Ok(is_there)
    })?;
    Ok(match is_there {
        true => {
            print(&format!(
                "dismissed: {} for {}\n",
                wish.problem, wish.target
            ))?;
            Exit::Found
        }
        false => {
            eprintln!("there is no such wish; see `wavetune wishes`");
            Exit::NotFound
        }
    })
}

fn list(arguments: &WishListArguments) -> anyhow::Result<Exit> {
    let wishes = block_on(async {
        let store = arguments.database.open_existing().await?;
        let wishes = open(&*store).await;
        store.close().await;
        wishes
    })?;
    for wished in &wishes {
        match arguments.output_format {
            OutputFormat::Json => print_json(&wish(wished))?,
            OutputFormat::Text => print(&text(wished))?,
        }
    }
    Ok(match wishes.is_empty() {
        true => {
            eprintln!("there are no wishes");
            Exit::NotFound
        }
        false => Exit::Found,
    })
}

/// Returns the open wishes. Reports unreadable ones and leaves them out.
async fn open(store: &dyn Catalogue) -> anyhow::Result<Vec<CountedWish>> {
    let wishes = open_wishes(store).await?;
    tell_unreadable(&wishes.unreadable);
    Ok(wishes.rows)
}

/// Returns the wished-for problems that this device and generator can serve, the most frequent
/// first.
pub(crate) async fn problems(
    store: &dyn Catalogue,
    target: &Target,
    device: &str,
    generator: Generator,
) -> anyhow::Result<Vec<Problem>> {
    let wishes = open(store).await?;
    let mut problems: Vec<Problem> = Vec::new();
    let mut others = 0;
    for CountedWish { wish, .. } in wishes {
        let here = wish.target == target
            && wish.device.is_none_or(|wanted| wanted == device)
            && wish.generator.is_none_or(|wanted| wanted == generator);
        match here {
            // One problem may be wished for with and without a device.
            true if !problems.contains(&wish.problem) => problems.push(wish.problem),
            true => {}
            false => others += 1,
        }
    }
    if others > 0 {
        eprintln!(
            "{others} more wishes have another target, device or generator; see `wavetune wishes`"
        );
    }
    if problems.is_empty() {
        eprintln!("no wish fits {generator} kernels on {device}");
    }
    Ok(problems)
}

fn text(wished: &CountedWish) -> String {
    let Wish {
        problem,
        target,
        device,
        generator,
        count,
        last,
        ..
    } = wish(wished);
    let device = device.map(|name| format!(" on {name}")).unwrap_or_default();
    let generator = generator
        .map(|generator| format!(" by {generator}"))
        .unwrap_or_default();
    let times = match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    format!("{problem} for {target}{device}{generator}: asked {times}, last {last}\n")
}
