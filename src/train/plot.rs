//! The curves of the losses as a picture.

use std::fs;
use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

use super::checkpoint::Finished;
use super::error::TrainError;
use super::run::History;

const SIZE: (u32, u32) = (960, 600);

/// Draws the losses of each seed: a thin line for those of training, a thick one with dots for those of the held-out
/// positions.
///
/// # Errors
///
/// When the file cannot be written.
pub(super) fn draw<const WIDTH: usize>(path: &Path, runs: &[Finished<WIDTH>]) -> Result<(), TrainError> {
    let fail = |reason: String| TrainError::Plot { path: path.to_owned(), reason };
    let mut picture = String::new();
    draw_into(&mut picture, runs).map_err(|error| fail(error.to_string()))?;
    fs::write(path, picture).map_err(|error| fail(error.to_string()))
}

fn draw_into<const WIDTH: usize>(
    picture: &mut String,
    runs: &[Finished<WIDTH>],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let epochs = runs.iter().map(|run| run.history.held_out.len()).max().unwrap_or(1);
    let mut chart = ChartBuilder::on(&area)
        .caption("Loss: training (thin) and held out (thick)", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..epochs as f64, losses(runs))?;
    chart.configure_mesh().x_desc("epochs").y_desc("mean squared error of the expectation").draw()?;
    for (index, run) in runs.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        chart.draw_series(LineSeries::new(run.history.training.iter().copied(), color.mix(0.6)))?;
        let held_out = LineSeries::new(held_out(&run.history), color.stroke_width(3)).point_size(4);
        let label = format!("seed {}: {:.6} after epoch {}", run.seed, run.best.loss, run.best.epoch);
        let key = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(3));
        chart.draw_series(held_out)?.label(label).legend(key);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

/// The held-out losses, each at the end of its epoch.
fn held_out(history: &History) -> impl Iterator<Item = (f64, f64)> + '_ {
    history.held_out.iter().enumerate().map(|(epoch, &loss)| ((epoch + 1) as f64, loss))
}

/// The losses to show: all but those of the first steps, beside which nothing else would be seen.
fn losses<const WIDTH: usize>(runs: &[Finished<WIDTH>]) -> Range<f64> {
    let (mut low, mut high) = (f64::MAX, 0.0_f64);
    for run in runs {
        let training = &run.history.training;
        let shown = training[training.len().min(training.len() / 20 + 1)..].iter().copied();
        for (_, loss) in shown.chain(held_out(&run.history)) {
            (low, high) = (low.min(loss), high.max(loss));
        }
    }
    let margin = (0.05 * (high - low)).max(1e-6);
    if low > high { 0.0..1.0 } else { low - margin..high + margin }
}
